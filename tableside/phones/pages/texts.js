// The page's texts in the language that this phone was given.
const texts = JSON.parse(document.getElementById("texts").textContent);
export const languages = { en: "English", ja: "日本語", "zh-Hans": "简体中文" };
const KEY = "language";
const hearers = [];
export const element = (id) => document.getElementById(id);

export function language() {
  const kept = localStorage.getItem(KEY);
  if (kept in texts) return kept;
  const wanted = navigator.languages.map((each) => (each.startsWith("zh") ? "zh-Hans" : each.slice(0, 2)));
  return wanted.find((each) => each in texts) ?? "en";
}

export function setLanguage(code) {
  localStorage.setItem(KEY, code);
  document.documentElement.lang = code;
  for (const hearer of hearers) hearer();
}

export const listen = (hearer) => hearers.push(hearer);
export const say = (key, values = {}) => texts[language()][key].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
