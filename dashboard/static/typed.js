// Fills a form with what was typed before, where the page says that it was refused. Only forms with data-typed; no passwords.
"use strict";
(() => {
  const KEY = "twinwall-typed";
  const NEVER = new Set(["hidden", "password", "file", "submit", "fieldset"]);

  function fields(form) {
    return [...form.elements].filter((field) => field.name && !NEVER.has(field.type));
  }

  function chosen(field) {
    return !["radio", "checkbox"].includes(field.type) || field.checked;
  }

  function named(form) {
    return `${form.getAttribute("action") ?? ""} ${form.querySelector("[name=do]")?.value ?? ""}`;
  }

  function fill({ form, values }) {
    const found = [...document.querySelectorAll("form[data-typed]")].find((each) => named(each) === form);
    for (const field of found ? fields(found) : []) {
      const typed = values[field.name] ?? [];
      if (["radio", "checkbox"].includes(field.type)) field.checked = typed.includes(field.value);
      else field.value = typed[0] ?? field.value;
    }
    found?.closest("details")?.setAttribute("open", "");
  }

  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  if (kept && document.querySelector("[data-refused]")) fill(JSON.parse(kept));

  document.addEventListener("submit", ({ target }) => {
    if (!target.matches("form[data-typed]")) return;
    const values = {};
    for (const field of fields(target).filter(chosen)) (values[field.name] ??= []).push(field.value);
    sessionStorage.setItem(KEY, JSON.stringify({ form: named(target), values }));
  });
})();
