// Fills a form with what was changed in it before, where the page says that it was refused. Only forms with data-typed; no passwords.
// A field that was left as it came keeps what the page has now: somebody may have changed it meanwhile.
"use strict";
(() => {
  const KEY = "twinwall-typed";
  const NEVER = new Set(["hidden", "password", "file", "submit", "fieldset"]);

  function fields(form) {
    return [...form.elements].filter((field) => field.name && !NEVER.has(field.type));
  }

  function isBox(field) {
    return ["radio", "checkbox"].includes(field.type);
  }

  function isChanged(field) {
    if (isBox(field)) return field.checked !== field.defaultChecked;
    const options = [...(field.options ?? [])];
    const came = options.length ? (options.find((option) => option.defaultSelected) ?? options[0]).value : field.defaultValue;
    return field.value !== came;
  }

  // What a form is about: its address, what it does, and the deal.
  function named(form) {
    const about = ["do", "n"].map((name) => form.elements.namedItem(name)?.value ?? "");
    return [form.getAttribute("action") ?? "", ...about].join(" ");
  }

  function fill({ form, values }) {
    const found = [...document.querySelectorAll("form[data-typed]")].find((each) => named(each) === form);
    for (const field of found ? fields(found) : []) {
      const typed = values[field.name];
      if (typed && isBox(field)) field.checked = typed.includes(field.value);
      else if (typed) [field.value] = typed;
    }
    found?.closest("details")?.setAttribute("open", "");
  }

  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  if (kept && document.querySelector("[data-refused]")) fill(JSON.parse(kept));

  document.addEventListener("submit", ({ target }) => {
    if (!target.matches("form[data-typed]")) return;
    const values = Object.fromEntries(fields(target).filter(isChanged).map((field) => [field.name, []]));
    for (const field of fields(target)) if (!isBox(field) || field.checked) values[field.name]?.push(field.value);
    sessionStorage.setItem(KEY, JSON.stringify({ form: named(target), values }));
  });
})();
