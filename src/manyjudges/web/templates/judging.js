// What makes judging quick: keys, undo, the next object, and a batch that is kept while somebody is at it.
// Everything here is a comfort: without it the form works by itself.
"use strict";
(() => {
  const form = document.getElementById("work");
  if (!form) return;
  const ticking = form.dataset.widget === "tick";
  const cards = [...form.querySelectorAll(".tile, .card")];
  const boxes = [...form.querySelectorAll(".strip input")];
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const count = document.getElementById("count");
  const undo = document.getElementById("undo");
  document.getElementById("keys").hidden = false;

  // Errors come first, for eyes and for screen readers.
  const problems = document.getElementById("problems");
  if (problems) problems.focus();

  // How far
  const askable = cards.filter((card) => card.querySelector("input"));
  const isAnswered = (card) =>
    [...card.querySelectorAll("input")].some((input) => input.checked || (input.classList.contains("number") && input.value !== ""));
  const tell = () => {
    const done = askable.filter(isAnswered).length;
    count.textContent = ticking ? `${boxes.filter((box) => box.checked).length} ticked` : `${done} of ${askable.length}`;
  };
  count.hidden = false;
  tell();

  // Undo
  const taken = [];
  let undoing = false;
  const undoLast = () => {
    const box = taken.pop();
    if (box) {
      undoing = true;
      box.click();
      undoing = false;
      box.focus();
    }
    undo.disabled = taken.length === 0;
  };
  if (ticking) {
    undo.hidden = false;
    undo.addEventListener("click", undoLast);
  }

  // Numbers are checked here as on the server, which has the last word, and by the same grammar: it comes with the page.
  const pattern = (name) => new RegExp(`^(?:${form.dataset[name]})$`);
  const NUMBER = pattern("number"), THOUSANDS = pattern("thousands"), EDGES = new RegExp(form.dataset.edges, "g");
  const complaint = (input) => {
    const text = input.value.replace(EDGES, "").replaceAll(form.dataset.minus, "-");
    if (text === "") return "";
    if (THOUSANDS.test(text)) return `Does the comma in “${text}” separate thousands or decimals? Please write ${text.replaceAll(",", "")}, or decimals with a point.`;
    const value = NUMBER.test(text) ? Number(text.replace(",", ".")) : NaN;
    const { low, high, whole } = input.dataset;
    const right = Number.isFinite(value) && !(value < Number(low)) && !(value > Number(high)) && (whole === undefined || Number.isInteger(value));
    return right ? "" : `Please enter ${form.dataset.allowed}.`;
  };
  const check = (input) => {
    if (!input.classList.contains("number")) return true;
    const said = complaint(input), id = input.id.replace("a-", "e-");
    let shown = document.getElementById(id);
    if (said && !shown) {
      shown = document.createElement("p");
      shown.className = "error";
      shown.id = id;
      shown.setAttribute("role", "alert");
      input.closest(".answer").append(shown);
    }
    if (said) shown.textContent = said;
    else if (shown) shown.remove();
    for (const [name, value] of [["aria-invalid", "true"], ["aria-describedby", id]]) said ? input.setAttribute(name, value) : input.removeAttribute(name);
    input.closest(".card").classList.toggle("bad", Boolean(said));
    return !said;
  };
  // A little later, so that a message does not push away the button that is being clicked.
  form.addEventListener("change", (event) => setTimeout(() => check(event.target), 200));
  form.addEventListener("submit", (event) => {
    if (form.noValidate || (event.submitter && event.submitter.formNoValidate)) return;
    const wrong = [...form.querySelectorAll(".number")].filter((input) => !check(input));
    if (!wrong.length) return;
    event.preventDefault();
    wrong[0].focus();
  });

  // "Can't tell" and an answer exclude each other.
  const settle = (input) => {
    const card = input.closest(".tile, .card");
    if (!card || input.type === "radio") return;
    const cant = card.querySelector(".cant input");
    if (!cant) return;
    if (input === cant && cant.checked) {
      card.querySelectorAll(".number").forEach((each) => {
        each.value = "";
        check(each);
      });
      card.querySelectorAll(".strip input").forEach((each) => (each.checked = false));
    } else if (input !== cant && (input.checked || input.value !== "")) {
      if (input.checked || input.classList.contains("number")) cant.checked = false;
    }
  };

  // The next object
  const next = (card) => {
    const following = askable.slice(askable.indexOf(card) + 1).find((each) => !isAnswered(each)) || askable.find((each) => !isAnswered(each));
    if (!following) return form.querySelector(".bar .main").focus();
    const input = following.querySelector("input:checked") || following.querySelector("input");
    input.focus({ preventScroll: true });
    following.scrollIntoView({ block: "center", behavior: calm ? "auto" : "smooth" });
  };

  let changed = false;
  let used = true;
  form.addEventListener("input", (event) => {
    changed = used = true;
    settle(event.target);
    if (event.target.getAttribute("aria-invalid") && event.target.classList.contains("number")) check(event.target);
    if (boxes.includes(event.target) && !undoing) {
      taken.push(event.target);
      undo.disabled = false;
    }
    tell();
  });
  // Only a finger or a mouse goes on by itself: the arrow keys try steps out.
  form.addEventListener("click", (event) => {
    const radio = event.target;
    if (radio.type === "radio" && event.detail > 0) setTimeout(() => next(radio.closest(".card")), 120);
  });

  // Rows of the grid, as they happen to be on this screen
  const rowOf = (tile) => cards.filter((each) => each.offsetTop === tile.offsetTop);
  const mark = (tile) => {
    cards.forEach((each) => each.classList.remove("in-row"));
    if (tile) rowOf(tile).slice(0, 9).forEach((each, at) => {
      const digit = each.querySelector(".digit");
      if (!digit) return;
      digit.textContent = at + 1;
      each.classList.add("in-row");
    });
  };
  const seen = () => {
    const under = document.querySelector(".question").getBoundingClientRect().bottom;
    return cards.find((each) => each.getBoundingClientRect().bottom > under + 40);
  };
  const move = (tile, key) => {
    const row = rowOf(tile);
    const width = rowOf(cards[0]).length;
    const at = cards.indexOf(tile);
    const rtl = getComputedStyle(form).direction === "rtl" ? -1 : 1;
    const to = { ArrowLeft: at - rtl, ArrowRight: at + rtl, ArrowUp: at - width, ArrowDown: at + width, Home: cards.indexOf(row[0]), End: cards.indexOf(row[row.length - 1]) }[key];
    const step = to < at ? -1 : 1;
    for (let i = Math.min(Math.max(to, 0), cards.length - 1); i >= 0 && i < cards.length; i += step) {
      const box = cards[i].querySelector(".strip input");
      if (box) return box.focus();
    }
  };
  const keysOfGrid = (event) => {
    const tile = event.target.closest ? event.target.closest(".tile") : null;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !event.shiftKey) {
      event.preventDefault();
      undoLast();
    } else if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    } else if (tile && boxes.includes(event.target) && /^(Arrow|Home$|End$)/.test(event.key)) {
      event.preventDefault();
      move(tile, event.key);
    } else if (/^[1-9]$/.test(event.key)) {
      const chosen = rowOf(tile || seen() || cards[0])[event.key - 1];
      const box = chosen && chosen.querySelector(".strip input");
      if (box) {
        box.focus();
        box.click();
      }
    } else if (event.key === "Enter" && event.target.type === "checkbox") {
      event.preventDefault(); // only the button hands in
    }
  };
  const keysOfList = (event) => {
    const card = event.target.closest ? event.target.closest(".card") : null;
    if (!card || event.ctrlKey || event.metaKey || event.altKey) return;
    const radios = [...card.querySelectorAll("input[type=radio]")];
    if (event.key === "Enter" && event.target.matches("input")) {
      event.preventDefault();
      if (check(event.target)) next(card);
    } else if (radios.length && /^[0-9?]$/.test(event.key)) {
      const radio = radios.find((each) => each.value === (event.key === "?" ? "cant" : event.key));
      if (radio) {
        radio.click();
        next(card);
      }
    }
  };
  document.addEventListener("keydown", (event) => {
    used = true;
    (ticking ? keysOfGrid : keysOfList)(event);
  });
  if (ticking) {
    form.addEventListener("focusin", (event) => mark(boxes.includes(event.target) ? event.target.closest(".tile") : null));
    addEventListener("resize", () => mark(document.activeElement.closest(".tile")));
  }

  // An image that did not come through: say so, and do not take silence for an answer.
  const lost = (image) => {
    const card = image.closest(".tile, .card");
    if (!card || card.querySelector(".lost")) return;
    const position = card.id.replace("item-", "");
    const said = document.createElement("p");
    said.className = "error lost";
    said.textContent = "This picture did not arrive. ";
    const again = document.createElement("button");
    again.type = "button";
    again.className = "plain";
    again.textContent = "Load it again";
    const unseen = document.createElement("input");
    unseen.type = "hidden";
    unseen.name = `u-${position}`;
    unseen.value = "1";
    again.addEventListener("click", () => {
      said.remove();
      image.src = image.src.split("?")[0] + "?again=" + Date.now();
    });
    said.append(again, unseen);
    card.append(said);
  };
  form.querySelectorAll("img").forEach((image) => {
    image.addEventListener("error", () => lost(image));
    if (image.complete && image.naturalWidth === 0) lost(image);
  });

  // Still here: keeps answers and time
  if (!form.dataset.alive) return;
  const time = document.getElementById("time");
  let until = Date.now() + 1000 * Number(form.dataset.left);
  const showTime = () => {
    const minutes = Math.ceil((until - Date.now()) / 60000);
    time.textContent = minutes < 1 ? "Time is up: please hand in what you have" : minutes === 1 ? "1 minute left" : `${minutes} minutes left`;
    time.classList.toggle("late", minutes < 1);
  };
  const beat = async () => {
    showTime();
    if (document.visibilityState !== "visible" || !used) return;
    used = false;
    try {
      const answer = await fetch(form.dataset.alive, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "error" });
      if (answer.ok) until = Date.now() + 1000 * (await answer.json()).left;
      changed = false;
    } catch {
      used = true; // it is tried again
    }
    showTime();
  };
  for (const kind of ["pointerdown", "scroll"]) addEventListener(kind, () => (used = true), { passive: true });
  setInterval(beat, Number(form.dataset.every || 20) * 1000);
  addEventListener("pagehide", () => {
    if (changed && !leaving) navigator.sendBeacon(form.dataset.alive, new URLSearchParams(new FormData(form)));
  });
  let leaving = false;
  form.addEventListener("submit", (event) => (leaving = !event.defaultPrevented));
})();
