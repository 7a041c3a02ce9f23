// Sends forms without leaving the page, shows progress, and takes files that are dropped. Without it the page works,
// and is loaded again for each step.
"use strict";
(() => {
  document.documentElement.classList.add("scripted");
  const POLL = 500, LATER = 5000, PAUSE = 350;
  const main = () => document.getElementById("steps");
  const announce = (text) => (document.getElementById("announced").textContent = text);
  let timer = 0, sending = 0, uploading = false;

  // Makes one element like another without replacing what stays, so that focus, scrolling and open details stay.
  function become(old, fresh) {
    for (const { name } of [...old.attributes]) {
      if (!fresh.hasAttribute(name) && !(name === "open" && old.localName === "details")) old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    if (old.localName === "input" && old.type !== "file" && old !== document.activeElement) {
      old.value = fresh.value;
      old.checked = fresh.checked;
    }
    if (old.localName === "textarea" && old !== document.activeElement) old.value = fresh.value;
    let at = old.firstChild;
    for (const child of [...fresh.childNodes]) {
      const same = matching(old, at, child);
      if (!same) {
        old.insertBefore(child, at);
        continue;
      }
      if (same === at) at = at.nextSibling;
      else old.insertBefore(same, at);
      if (same.nodeType === Node.ELEMENT_NODE) become(same, child);
      else if (same.nodeValue !== child.nodeValue) same.nodeValue = child.nodeValue;
    }
    while (at) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
    if (old.localName === "select") old.value = fresh.value;
  }

  // An element with an id is itself wherever it stands; others are what they were if they are of the same kind.
  function matching(parent, at, child) {
    if (child.id) {
      const found = document.getElementById(child.id);
      return found && found.parentNode === parent && follows(found, at) ? found : null;
    }
    return at && at.nodeType === child.nodeType && at.nodeName === child.nodeName && !at.id ? at : null;
  }

  function follows(node, at) {
    return Boolean(at) && (node === at || Boolean(at.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING));
  }

  const steps = () => [...main().querySelectorAll(".card")].map((card) => card.id);

  function show(html, moved) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    const content = fresh.getElementById("steps");
    if (!content) {
      const problem = document.getElementById("problem") || main().appendChild(document.createElement("div"));
      problem.className = "notice bad";
      problem.id = "problem";
      problem.setAttribute("role", "alert");
      const words = (fresh.querySelector("main p") || fresh.body).textContent;
      if (problem.textContent !== words) problem.textContent = words;
      problem.hidden = false;
      again(LATER);
      return;
    }
    const before = steps(), busy = main().dataset.busy;
    document.title = fresh.title;
    become(main(), content);
    const added = steps().filter((id) => !before.includes(id));
    const working = document.getElementById("working-title");
    if (working) announce(working.textContent);
    else if (added.length) announce(`Step ${document.getElementById(`${added[0]}-h`).textContent.trim()}`);
    else if (busy === "yes") announce("Done");
    const nowhere = [document.body, main()].includes(document.activeElement);
    if (added.length && (moved || nowhere)) {
      document.getElementById(`${added[0]}-h`).focus({ preventScroll: true });
      if (before.length) document.getElementById(added[0]).scrollIntoView({ block: "nearest" });
    } else if (moved && nowhere) {
      main().focus({ preventScroll: true });
    }
    again();
  }

  function again(pause = POLL) {
    clearTimeout(timer);
    if (main().dataset.busy === "yes") timer = setTimeout(look, pause);
  }

  async function look() {
    const number = sending;
    try {
      const answer = await fetch("/", { cache: "no-store" });
      const text = await answer.text();
      if (number === sending) show(text, false);
    } catch {
      lost();
    }
  }

  function lost() {
    show("<main><p>The app does not answer. Start it again in the terminal with “manyjudges app”.</p></main>", true);
  }

  async function send(form, button) {
    const number = ++sending;
    clearTimeout(timer);
    const data = new FormData(form, button);
    data.append("table", main().dataset.table);
    try {
      if (form.enctype === "multipart/form-data") await upload(form, data);
      else {
        const answer = await fetch(form.getAttribute("action"), { method: "POST", body: new URLSearchParams(data) });
        const text = await answer.text();
        if (number === sending) show(text, true);
      }
    } catch {
      lost();
    }
  }

  function upload(form, data) {
    const size = [...data.values()].reduce((sum, each) => sum + (each instanceof File ? each.size : 0), 0);
    if (size > Number(main().dataset.largest)) {
      form.reset();
      show(`<main><p>${main().dataset.tooLarge}</p></main>`, true);
      return;
    }
    const working = form.querySelector("[data-sending]"), bar = working && working.querySelector("progress");
    if (working) working.hidden = false;
    uploading = true;
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.upload.addEventListener("progress", (event) => {
        if (bar && event.lengthComputable) bar.value = (100 * event.loaded) / event.total;
      });
      request.addEventListener("load", () => {
        if (working) working.hidden = true;
        uploading = false;
        show(request.responseText, true);
        resolve();
      });
      request.addEventListener("error", () => {
        uploading = false;
        reject();
      });
      request.open("POST", form.getAttribute("action"));
      request.send(data);
    });
  }

  document.addEventListener("submit", (event) => {
    if (event.target.method !== "post") return;
    event.preventDefault();
    send(event.target, event.submitter);
  });

  let pause = 0;
  document.addEventListener("change", (event) => {
    const form = event.target.form;
    if (!form) return;
    if (event.target.type === "file" && event.target.files.length) form.requestSubmit();
    else if ("auto" in form.dataset || "slide" in form.dataset) {
      clearTimeout(pause);
      pause = setTimeout(() => form.requestSubmit(), PAUSE);
    }
  });

  // The slider shows what is known of each budget at once, and asks for the plan when it is let go.
  document.addEventListener("input", (event) => {
    const slider = event.target;
    if (slider.id !== "stop") return;
    const points = JSON.parse(slider.dataset.points), point = points[slider.value];
    const strong = (text) => Object.assign(document.createElement("strong"), { textContent: text });
    document.getElementById("stop-words").replaceChildren(
      strong(point.shown), " per object: off by about ", strong(point.error), ` (${point.low} to ${point.high}). Buys ${point.plan}.`,
    );
    slider.setAttribute("aria-valuetext", `${point.shown}, off by about ${point.error}`);
    slider.form.elements.budget.value = point.budget;
    document.querySelectorAll("#curve circle").forEach((circle, at) => {
      circle.classList.toggle("chosen", at === Number(slider.value));
      circle.setAttribute("r", at === Number(slider.value) ? 9 : 5);
    });
  });

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const lines = [...document.getElementById(button.dataset.copy).children].map((line) => `${line.textContent}\n`);
    const text = lines.join("");
    try {
      await navigator.clipboard.writeText(text);
      announce("Copied");
      button.textContent = "Copied";
    } catch {
      const range = document.createRange();
      range.selectNodeContents(document.getElementById(button.dataset.copy));
      window.getSelection().removeAllRanges();
      window.getSelection().addRange(range);
      announce("Selected: copy it with Ctrl-C");
    }
  });

  // A file that is dropped anywhere is for the form under it, or for the one that waits for a file.
  function target(event) {
    const forms = [...document.querySelectorAll("form[data-drop]")];
    return forms.find((form) => form.contains(event.target)) || forms[forms.length - 1];
  }

  function mark(form) {
    document.querySelectorAll("form[data-drop]").forEach((each) => each.classList.toggle("over", each === form));
  }

  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    if (event.dataTransfer && [...event.dataTransfer.types].includes("Files")) mark(target(event));
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) mark(null);
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const form = target(event);
    mark(null);
    if (!form || !event.dataTransfer.files.length) return;
    form.querySelector("input[type=file]").files = event.dataTransfer.files;
    form.requestSubmit();
  });

  // What was done in another tab is seen here, too.
  window.addEventListener("focus", () => {
    if (!uploading && main().dataset.busy === "no") look();
  });

  again();
})();
