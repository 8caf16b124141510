// The page: files and code come in, what is proved goes out. Nothing is sent anywhere.

const SUITS = {m: "萬", p: "●", s: "竹"}, HONOURS = {E: "東", S: "南", W: "西", N: "北", C: "中", F: "發", P: "□"};
const LANGUAGES = {en: "EN", ja: "日本語", "zh-Hans": "中文"};
const page = {language: "en", files: new Map(), names: [], failure: "", turn: 0};

function say(key, values = {}) {
  return TEXTS[page.language][key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function byId(id) {
  return document.getElementById(id);
}

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function showLanguage(language) {
  page.language = language;
  document.documentElement.lang = language;
  document.title = `Twinwall: ${say("title")}`;
  for (const each of document.querySelectorAll("[data-text]")) each.textContent = say(each.dataset.text);
  byId("languages").replaceChildren(...Object.entries(LANGUAGES).map(([code, name]) => {
    const button = element("button", {type: "button", lang: code, textContent: name, onclick: () => showLanguage(code)});
    button.setAttribute("aria-pressed", String(code === language));
    return button;
  }));
  return show();
}

async function take(list) {
  page.failure = "";
  page.names = [...list].map((file) => file.name);
  const files = new Map();
  try {
    for (const file of list) {
      if (file.size > LARGEST_BUNDLE) throw new ZipError("large");
      const bytes = new Uint8Array(await file.arrayBuffer());
      const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
      for (const [name, content] of isZip ? await readZip(bytes) : [[file.name, bytes]]) {
        if (files.has(name)) throw new ZipError("twice");
        files.set(name, content);
      }
    }
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    page.failure = error.message;
  }
  page.files = files;
  return show();
}

function code() {
  const given = byId("code").value.trim();
  if (!given) return {said: ""};
  try {
    return {bytes: readCode(given), said: ""};
  } catch (error) {
    if (!(error instanceof CodeError)) throw error;
    return {said: say(`code.${error.message}`)};
  }
}

async function show() {
  const turn = ++page.turn, {bytes, said} = code();
  byId("code-said").textContent = said;
  byId("chosen").textContent = page.names.join(", ");
  if (page.failure) return byId("result").replaceChildren(banner("bad", say("banner.unread"), say(`zip.${page.failure}`)));
  if (!page.files.size || bytes === undefined) return byId("result").replaceChildren();
  const result = await checkFiles(page.files, bytes);
  if (turn === page.turn) byId("result").replaceChildren(...shown(result));
}

function banner(kind, title, ...lines) {
  return element("div", {className: `banner ${kind}`}, element("span", {textContent: title}), ...lines.map((line) => element("p", {textContent: line})));
}

function shown(result) {
  if (result.part === "no-plan") return [banner("bad", say("banner.no-plan"), say("banner.no-plan.what"))];
  if (result.part === "code") return [banner("bad", say("banner.code"), ...(result.words ? [say("banner.code.what", {words: result.words})] : []))];
  return [overall(result), ...result.deals.map(shownDeal), shownLedgers(result)];
}

function overall(result) {
  const good = result.deals.filter((deal) => deal.good).length, bad = result.bad.length + result.ledgers.filter((ledger) => ledger.bad).length;
  const others = result.deals.filter((deal) => deal.others.length).length;
  const count = say("banner.count", {good, all: result.deals.length, planned: result.planned, event: result.event});
  if (good < result.deals.length || bad || others) return banner("bad", say("banner.bad"), count);
  if (!result.deals.length) return banner("unsure", say("banner.no-slip"), count);
  const unsure = result.ledgers.length && result.signatures !== "checked";
  return banner(unsure ? "unsure" : "good", say(unsure ? "banner.unsure" : "banner.good"), count);
}

function shownDeal(deal) {
  const mark = element("span", {className: `mark ${deal.good ? "good" : "bad"}`, textContent: say(deal.good ? "deal.good" : "deal.bad")});
  const title = deal.n === null ? deal.name : say("deal.title", {n: deal.n});
  const place = deal.good ? say("deal.place", {session: deal.deal.session, hand: deal.deal.hand, rules: deal.deal.rules}) : "";
  const card = element("details", {className: "deal"}, element("summary", {}, mark, element("h3", {textContent: title}), element("span", {className: "quiet", textContent: place})));
  card.append(element("p", {className: "why", textContent: deal.good ? say("deal.why") : say(`part.${deal.part}`)}));
  if (!deal.good) {
    card.open = true;
    return card;
  }
  if (deal.tables.length) card.append(element("p", {textContent: say("deal.tables", {tables: deal.tables.join(", ")})}));
  if (deal.others.length) card.append(element("p", {className: "bad", textContent: say("deal.others", {tables: deal.others.join(", ")})}));
  for (const seat of SEATS) card.append(wall(say(`seat.${seat}`), deal.deal.walls[seat], HAND));
  if (deal.deal.rest.length) card.append(wall(say("seat.rest"), deal.deal.rest, 0));
  card.append(element("p", {className: "values", textContent: `digest ${toHex(deal.deal.digest)} · check ${toHex(deal.deal.check)}`}));
  return card;
}

function wall(name, tiles, hand) {
  const shownTiles = tiles.flatMap((tile, index) => (index === hand && hand ? [element("span", {className: "cut"}), tileShape(tile)] : [tileShape(tile)]));
  const row = element("div", {className: "tiles"}, ...shownTiles);
  row.setAttribute("role", "img");
  row.setAttribute("aria-label", tiles.join(" "));
  return element("div", {className: "wall"}, element("h3", {textContent: name}), row);
}

function tileShape(tile) {
  const [first, suit] = tile;
  const shape = element("span", {className: `tile ${suit ?? first}`, title: tile, textContent: suit ? first : HONOURS[first]});
  if (suit) shape.append(element("small", {textContent: SUITS[suit]}));
  return shape;
}

function shownLedgers(result) {
  if (!result.ledgers.length && !result.bad.length) return "";
  const lines = result.ledgers.map((ledger) => {
    const name = say("ledger.name", {table: ledger.table || "?", file: ledger.name});
    if (ledger.bad) return `${name}: ${say("ledger.line", {line: ledger.bad.line})}: ${say(`ledger.${ledger.bad.reason}`)}`;
    return `${name}: ${say(result.signatures === "checked" ? "ledger.good" : "ledger.chain-good", {lines: ledger.digests.length})}`;
  });
  for (const each of result.bad) {
    lines.push(`${each.file}${each.line === null ? "" : `, ${say("ledger.line", {line: each.line})}`}: ${say(`ledger.${each.reason}`)}`);
  }
  const card = element("div", {className: "ledgers"}, element("h2", {textContent: say("ledger.title")}), element("ul", {}, ...lines.map((line) => element("li", {textContent: line}))));
  card.append(element("p", {textContent: say(`signatures.${result.signatures}`)}));
  if (result.vaultKey) card.append(element("p", {className: "values", textContent: say("ledger.vault", {key: result.vaultKey})}));
  card.append(element("p", {className: "quiet", textContent: say("ledger.more")}));
  return card;
}

async function scan(image) {
  try {
    const [found] = await new BarcodeDetector({formats: ["qr_code"]}).detect(await createImageBitmap(image));
    if (found !== undefined) byId("code").value = found.rawValue;
    await show();
    if (found === undefined) byId("code-said").textContent = say("code.no-qr");
  } catch {
    byId("code-said").textContent = say("code.no-qr");
  }
}

function begin() {
  const drop = byId("drop");
  byId("files").onchange = (event) => take(event.target.files);
  byId("code").oninput = show;
  byId("photo").onchange = (event) => scan(event.target.files[0]);
  byId("scan").hidden = !("BarcodeDetector" in globalThis);
  drop.ondragover = (event) => { event.preventDefault(); drop.classList.add("over"); };
  drop.ondragleave = () => drop.classList.remove("over");
  drop.ondrop = (event) => { event.preventDefault(); drop.classList.remove("over"); return take(event.dataTransfer.files); };
  const asked = navigator.languages.map((each) => each.toLowerCase()).find((each) => /^(en|ja|zh)/.test(each)) ?? "en";
  return showLanguage(asked.startsWith("ja") ? "ja" : asked.startsWith("zh") ? "zh-Hans" : "en");
}

begin();
