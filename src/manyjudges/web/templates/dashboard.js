// Keeps the moving part of the researcher's page up to date. Without it the page works, and shows the numbers of its time.
"use strict";
(() => {
  const EVERY = 2000, SLOWEST = 30000;
  const stale = document.getElementById("stale"), announced = document.getElementById("announced");
  let wait = EVERY, timer = 0;

  // Makes one element like another without replacing what stays, so that focus, open details and scrolling stay, too.
  function become(old, fresh) {
    for (const { name } of [...old.attributes]) {
      if (!fresh.hasAttribute(name) && !(name === "open" && old.localName === "details")) old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
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

  async function renew() {
    try {
      const answer = await fetch("/admin/live", { credentials: "same-origin", cache: "no-store" });
      if (answer.status === 403) return window.location.assign("/admin/login");
      if (!answer.ok) throw new Error(String(answer.status));
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
      if (!fresh) throw new Error("nothing to show");
      const live = document.getElementById("live");
      if (live.dataset.say !== fresh.dataset.say) announced.textContent = fresh.dataset.say;
      become(live, fresh);
      stale.hidden = true;
      wait = EVERY;
    } catch {
      stale.hidden = false;
      wait = Math.min(2 * wait, SLOWEST);
    }
    plan();
  }

  function plan() {
    clearTimeout(timer);
    if (document.visibilityState === "visible") timer = setTimeout(renew, wait);
  }

  document.addEventListener("visibilitychange", () => (document.visibilityState === "visible" ? renew() : clearTimeout(timer)));
  plan();
})();
