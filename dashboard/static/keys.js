// Keys of every page: a number or "/" asks for a table, g and then a letter goes to a page, letters of links
// that name one work at once, and "?" lists them all.
"use strict";
(() => {
  const PAIR_MS = 1500;
  const jump = document.getElementById("jump");
  const list = document.getElementById("keys");
  let gone = 0;

  function links() {
    return [...document.querySelectorAll("[data-key]")];
  }

  function show() {
    const rows = links().map((link) => {
      const row = document.createElement("li");
      const keys = document.createElement("kbd");
      keys.textContent = [...link.dataset.key].join(" ");
      row.append(keys, " ", (link.getAttribute("aria-label") ?? link.textContent).trim());
      return row;
    });
    list.querySelector("ul").replaceChildren(...rows, ...list.querySelector("template").content.cloneNode(true).children);
    list.showModal();
  }

  function key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea, dialog")) return;
    if (event.key === "?") {
      show();
      return;
    }
    if (event.key === "/" || /^[0-9]$/.test(event.key)) {
      event.preventDefault();
      jump.showModal();
      jump.querySelector("input").value = event.key === "/" ? "" : event.key;
      return;
    }
    const wanted = Date.now() - gone < PAIR_MS ? `g${event.key}` : event.key;
    gone = event.key === "g" ? Date.now() : 0;
    links().find((one) => one.dataset.key === wanted)?.click();
  }

  jump.addEventListener("submit", (event) => {
    event.preventDefault();
    const name = jump.querySelector("input").value.normalize("NFKC").trim();
    if (name) location.href = `/table/${encodeURIComponent(name)}`;
  });
  document.addEventListener("keydown", key);
})();
