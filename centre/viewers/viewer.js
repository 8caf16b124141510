// Keeps a published page up to date: <html data-stream="world.en"> names its stream, data-part what changes in it.
"use strict";

const WAIT_MS = 1000; // viewers who fetch the whole page do so at different moments
const AGAIN_MS = 2000; // a stream that ended is opened anew after one to two times as long
const root = document.documentElement;
const revision = document.querySelector('meta[name="revision"]');
let told = ""; // the revision that the stream has named last
const parts = () => new Map([...document.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));

function put(name, text) {
  const template = document.createElement("template");
  template.innerHTML = text;
  parts().get(name).replaceWith(template.content.firstElementChild);
}

async function fetchPage(wanted) {
  await new Promise((done) => setTimeout(done, Math.random() * WAIT_MS));
  const answer = await fetch(wanted ? `${location.pathname}?r=${wanted}` : location.pathname, { cache: "no-cache" });
  const text = await answer.text();
  if (!answer.ok || (wanted && wanted !== told)) return; // a cache may answer late with a page that is not the last any more
  const found = new DOMParser().parseFromString(text, "text/html");
  const shown = [...parts().keys()];
  const next = new Map([...found.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
  if (shown.length !== next.size || shown.some((name) => !next.has(name))) {
    location.reload();
    return;
  }
  for (const [name, part] of next) parts().get(name).replaceWith(part);
  revision.content = found.querySelector('meta[name="revision"]').content;
}

function hear(event) {
  const change = JSON.parse(event.data);
  told = change.page;
  if (change.page === revision.content) return;
  if (change.parts === null || change.before !== revision.content) {
    fetchPage(change.page);
    return;
  }
  for (const [name, text] of Object.entries(change.parts)) put(name, text);
  revision.content = change.page;
}

function follow(again) {
  const stream = new EventSource(`/stream/${root.dataset.stream}`);
  stream.onmessage = hear;
  stream.onopen = () => {
    root.dataset.live = "yes";
    if (again) fetchPage(""); // a killed nginx has forgotten what it told last
  };
  stream.onerror = () => {
    stream.close();
    root.dataset.live = "no";
    setTimeout(follow, AGAIN_MS * (1 + Math.random()), true);
  };
}

follow(false);
