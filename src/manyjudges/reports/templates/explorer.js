(function (prefix) {
  "use strict";
  const root = document.getElementById(prefix);
  if (!root || root.dataset.ready) return;
  root.dataset.ready = "true";
  const data = JSON.parse(root.querySelector(".mj-data").textContent);
  const controls = root.querySelector(".mj-controls");
  const panel = root.querySelector(".mj-panel");
  const range = controls.querySelector("input[type=range]");
  const output = controls.querySelector("output");
  const many = data.budgets.length;
  const dots = [];
  const radios = [];
  let method = data.method;
  let budget = data.budget;

  function make(tag, className, text) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function plan(point) {
    const list = make("ul", "mj-plan");
    const most = point.plan.reduce((largest, entry) => Math.max(largest, entry[1]), 1);
    for (const [name, count] of point.plan) {
      const item = make("li");
      const bar = make("span", "mj-bar");
      bar.style.width = (100 * count) / most + "%";
      item.append(make("bdi", "mj-name", name), make("span", "mj-count", count + " ×"), bar);
      list.append(item);
    }
    if (!point.plan.length) list.append(make("li", "", "nothing: no judgment fits into this budget, or none helps"));
    return list;
  }

  function show(newMethod, newBudget) {
    method = newMethod;
    budget = Math.max(0, Math.min(many - 1, newBudget));
    const point = data.points[method][budget];
    range.value = budget;
    range.setAttribute("aria-valuetext", "budget " + point.budget + ", off by about " + point.error);
    output.textContent = point.budget;
    radios.forEach((radio, m) => (radio.checked = m === method));
    for (const dot of dots) {
      const here = dot.m === method && dot.k === budget;
      dot.element.tabIndex = here ? 0 : -1;
      if (here) dot.element.setAttribute("aria-current", "true");
      else dot.element.removeAttribute("aria-current");
    }
    const head = make("p", "mj-head");
    head.append("Budget ", make("strong", "", point.budget), ", planned by “" + point.method + "”");
    const error = make("p", "mj-error");
    error.append("off by about ", make("strong", "", point.error), " (" + point.low + " to " + point.high + ")");
    const rest = make(
      "p",
      "mj-rest",
      point.explained + "; the plan promises " + point.promised +
        ", guessing the mean gives " + data.guess + ". It costs " + point.cost + "."
    );
    panel.replaceChildren(head, error, rest, plan(point));
  }

  function step(event) {
    const moves = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const ends = { Home: 0, End: many - 1 };
    if (event.key in moves) {
      const [dm, dk] = moves[event.key];
      show((method + dm + data.methods.length) % data.methods.length, budget + dk);
    } else if (event.key in ends) {
      show(method, ends[event.key]);
    } else {
      return;
    }
    event.preventDefault();
    const stage = event.currentTarget.parentNode;
    dots.find((dot) => dot.stage === stage && dot.m === method && dot.k === budget).element.focus();
  }

  function nearest(stage, event) {
    const box = stage.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    let best = null;
    for (const dot of dots) {
      if (dot.stage !== stage) continue;
      const dx = (dot.x / 100) * box.width - x;
      const dy = (dot.y / 100) * box.height - y;
      const distance = dx * dx + 0.2 * dy * dy;
      if (!best || distance < best.distance) best = { dot: dot, distance: distance };
    }
    if (best && (best.dot.m !== method || best.dot.k !== budget)) show(best.dot.m, best.dot.k);
  }

  for (const stage of root.querySelectorAll(".mj-stage")) {
    const group = make("div", "mj-dots");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Points of the curves; arrow keys go from one to the next");
    const places = data.places[stage.dataset.width];
    data.points.forEach((points, m) =>
      points.forEach((point, k) => {
        const [x, y] = places[m * many + k];
        const element = make("button", "mj-dot");
        element.type = "button";
        element.style.left = x + "%";
        element.style.top = y + "%";
        element.setAttribute("aria-label", point.method + " at " + point.budget + ": off by about " + point.error);
        element.addEventListener("focus", () => show(m, k));
        element.addEventListener("click", () => show(m, k));
        element.addEventListener("keydown", step);
        group.append(element);
        dots.push({ stage: group, element: element, m: m, k: k, x: x, y: y });
      })
    );
    stage.append(group);
    stage.addEventListener("pointermove", (event) => nearest(group, event));
    stage.addEventListener("pointerdown", (event) => nearest(group, event));
  }

  const choices = controls.querySelector(".mj-methods");
  data.methods.forEach((name, m) => {
    const label = make("label");
    const radio = make("input");
    radio.type = "radio";
    radio.name = prefix + "-method";
    radio.addEventListener("change", () => show(m, budget));
    label.append(radio, " " + name);
    choices.append(label);
    radios.push(radio);
  });
  range.addEventListener("input", () => show(method, Number(range.value)));

  show(method, budget);
  controls.hidden = false;
  panel.hidden = false;
  root.querySelector(".mj-plans").open = false;
})
