// A bundle's files: the zip, the ledgers' chains of hashes, and the signed heads that cover them.

const LARGEST_FILE = 64 * 2 ** 20, LARGEST_BUNDLE = 256 * 2 ** 20, MOST_FILES = 4096;

class ZipError extends Error {}

/** The files of a zip by name; one that is damaged is null. */
async function readZip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) throw new ZipError("zip");
  const count = view.getUint16(end + 10, true), files = new Map();
  if (count > MOST_FILES) throw new ZipError("large");
  let at = view.getUint32(end + 16, true), total = 0;
  for (let number = 0; number < count; number++) {
    const entry = zipEntry(bytes, view, at);
    at = entry.next;
    total += entry.size;
    if (entry.size > LARGEST_FILE || total > LARGEST_BUNDLE) throw new ZipError("large");
    if (/\/$|^__MACOSX\/|(^|\/)(\._|\.DS_Store$)/.test(entry.name)) continue;
    if (files.has(entry.name)) throw new ZipError("twice");
    files.set(entry.name, await zipContent(bytes, view, entry));
  }
  return files;
}

function zipEntry(bytes, view, at) {
  if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) throw new ZipError("zip");
  const nameSize = view.getUint16(at + 28, true);
  return {
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    packed: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    from: view.getUint32(at + 42, true),
    name: new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameSize)),
    next: at + 46 + nameSize + view.getUint16(at + 30, true) + view.getUint16(at + 32, true),
  };
}

async function zipContent(bytes, view, entry) {
  if (entry.from + 30 > bytes.length || view.getUint32(entry.from, true) !== 0x04034b50) return null;
  const begin = entry.from + 30 + view.getUint16(entry.from + 26, true) + view.getUint16(entry.from + 28, true);
  const packed = bytes.subarray(begin, begin + entry.packed);
  try {
    const content = entry.method === 0 ? packed : entry.method === 8 ? await inflated(packed, entry.size) : null;
    return content !== null && content.length === entry.size && crc32(content) === entry.crc ? content : null;
  } catch {
    return null;
  }
}

/** Unpacked bytes, never more than the entry says. */
async function inflated(packed, size) {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const content = new Uint8Array(size);
  for (let at = 0; ;) {
    const {done, value} = await reader.read();
    if (done) return at === size ? content : null;
    if (at + value.length > size) return null;
    content.set(value, at);
    at += value.length;
  }
}

function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** The lines of a file with their line feeds. */
function linesOf(bytes) {
  const lines = [];
  for (let from = 0; from < bytes.length;) {
    const feed = bytes.indexOf(10, from), to = feed < 0 ? bytes.length : feed + 1;
    lines.push(bytes.subarray(from, to));
    from = to;
  }
  return lines;
}

function readLine(bytes) {
  try {
    return JSON.parse(new TextDecoder("utf-8", {fatal: true}).decode(bytes));
  } catch {
    return null;
  }
}

/** Check a ledger's chain; its table and journal, its events, and the first line that does not hold. */
function checkLedger(bytes) {
  const ledger = {table: "", journal: "", events: [], digests: [], bad: null}, lines = linesOf(bytes);
  let before = "0".repeat(64);
  for (const [index, line] of lines.entries()) {
    const event = readLine(line);
    if (index === 0 && event !== null) Object.assign(ledger, {table: String(event.table), journal: String(event.journal)});
    const isNext = event !== null && line[line.length - 1] === 10 && event.v === 1 && event.seq === index + 1
      && event.table === ledger.table && event.journal === ledger.journal;
    const digest = toHex(sha256(line));
    if (!isNext || event.prev !== before) {
      // A line whose hash the next one names is as it was written: then the line before it was changed.
      const isWhole = isNext && index > 0 && index + 1 < lines.length && readLine(lines[index + 1])?.prev === digest;
      ledger.bad = {line: isWhole ? index : index + 1, reason: "chain"};
      break;
    }
    before = digest;
    ledger.events.push(event);
    ledger.digests.push(digest);
  }
  return ledger;
}

/** Whether this browser checks Ed25519; a page from a file in an older one does not. */
async function hasEd25519() {
  try {
    await crypto.subtle.importKey("raw", new Uint8Array(32).fill(1), "Ed25519", false, ["verify"]);
    return true;
  } catch {
    return false;
  }
}

/** Whether a signed line holds under a key: the signature covers the line without itself. */
async function isSigned(line, key, purpose, event, table) {
  const text = new TextDecoder().decode(line), found = text.match(/,"signature":"([0-9a-f]{128})"/);
  if (found === null) return false;
  const document = utf8(text.replace(found[0], ""));
  try {
    const imported = await crypto.subtle.importKey("raw", fromHex(key, 32), "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", imported, fromHex(found[1], 64), enc(purpose, event, table, document));
  } catch {
    return false;
  }
}

/** The keys that the vault has announced, by table. */
async function announcedKeys(bytes, vaultKey, event, bad) {
  const keys = new Map();
  for (const [index, line] of linesOf(bytes).entries()) {
    const document = readLine(line);
    if (document?.by !== "vault" || document.format !== "twinwall-keys-1" || !(await isSigned(line, vaultKey, "twinwall-keys-1", event, ""))) {
      bad.push({file: "keys.jsonl", line: index + 1, reason: "signature"});
      continue;
    }
    for (const {table, signing_key: key} of document.tables) keys.set(table, [...(keys.get(table) ?? []), key]);
  }
  return keys;
}

/** The heads that hold, by table and journal. */
async function signedHeads(files, vaultKey, event, bad) {
  const keys = await announcedKeys(files.get("keys.jsonl") ?? new Uint8Array(), vaultKey, event, bad), heads = new Map();
  for (const [index, line] of linesOf(files.get("heads.jsonl") ?? new Uint8Array()).entries()) {
    const head = readLine(line);
    let holds = false;
    if (head?.format === "twinwall-head-1" && head.ledger === "events") {
      for (const key of keys.get(head.by) ?? []) holds ||= await isSigned(line, key, "twinwall-head-1", event, head.by);
    }
    if (!holds) {
      bad.push({file: "heads.jsonl", line: index + 1, reason: "signature"});
      continue;
    }
    const name = JSON.stringify([head.by, head.journal]);
    heads.set(name, [...(heads.get(name) ?? []), head]);
  }
  return heads;
}

/** The first line of a ledger that the table's heads contradict or do not cover; null where all are covered. */
function againstHeads(ledger, heads) {
  let covered = 0;
  for (const head of [...heads].sort((one, other) => one.seq - other.seq)) {
    if (head.seq > ledger.digests.length) return {line: ledger.digests.length, reason: "cut"};
    if (ledger.digests[head.seq - 1] !== head.digest) return {line: covered + 1, reason: "signed"};
    covered = head.seq;
  }
  return covered < ledger.digests.length ? {line: covered + 1, reason: "uncovered"} : null;
}

/** Everything that this page proves of some files under a code. */
async function checkFiles(given, code) {
  const files = withoutFolder(given), result = {event: "", part: null, deals: [], ledgers: [], bad: [], signatures: "none", vaultKey: ""};
  for (const [name, content] of files) if (content === null) result.bad.push({file: name, line: null, reason: "damaged"});
  const {plan, starts, slips} = sorted(files);
  if (plan === null) return {...result, part: "no-plan"};
  result.event = plan.event;
  const known = knownStart(plan, starts, slips, code);
  result.part = known === null ? "code" : null;
  result.words = known ?? starts[0] ? wordsOfCode(codeOfStart(known ?? starts[0])) : "";
  result.deals = slips.map(([name, bytes]) => ({name, ...checkSlip(plan, known, bytes)}));
  result.deals.sort((one, other) => (one.n ?? Infinity) - (other.n ?? Infinity));
  result.planned = plan.deals.length;
  await checkLedgers(files, plan.event, result);
  return result;
}

async function checkLedgers(files, event, result) {
  const heading = readLine(files.get("bundle.json") ?? new Uint8Array());
  const names = [...files.keys()].filter((name) => /^ledgers\/\d+\.jsonl$/.test(name) && files.get(name) !== null).sort();
  result.ledgers = names.map((name) => ({name, ...checkLedger(files.get(name))}));
  if (typeof heading?.vault_key === "string" && heading.vault_key) {
    result.vaultKey = heading.vault_key;
    result.signatures = (await hasEd25519()) ? "checked" : "unable";
  }
  if (result.signatures === "checked") {
    const heads = await signedHeads(files, result.vaultKey, event, result.bad);
    for (const ledger of result.ledgers) ledger.bad ??= againstHeads(ledger, heads.get(JSON.stringify([ledger.table, ledger.journal])) ?? []);
  }
  for (const ledger of result.ledgers) {
    const open = ledger.events.find((each) => each.type === "deal-opened" && !result.deals.some((deal) => deal.n === each.n));
    if (open !== undefined) ledger.bad ??= {line: open.seq, reason: "no-slip"};
  }
  for (const deal of result.deals) {
    const opened = result.ledgers.flatMap((ledger) => ledger.events.filter((each) => each.type === "deal-opened" && each.n === deal.n));
    deal.tables = [...new Set(opened.filter((each) => deal.good && each.check === toHex(deal.deal.check)).map((each) => each.table))];
    deal.others = [...new Set(opened.filter((each) => deal.good && each.check !== toHex(deal.deal.check)).map((each) => each.table))];
  }
}

/** Files without the one folder that all of them lie in. */
function withoutFolder(files) {
  const tops = new Set([...files.keys()].map((name) => name.split("/")[0]));
  const all = tops.size === 1 && [...files.keys()].every((name) => name.includes("/"));
  return all ? new Map([...files].map(([name, content]) => [name.slice(name.indexOf("/") + 1), content])) : files;
}

/** Plan, starts and slips, known by what they say and not by their names. */
function sorted(files) {
  const found = {plan: null, starts: [], slips: []};
  for (const [name, content] of files) {
    if (content === null || !/\.json$/.test(name)) continue;
    const format = readLine(content)?.format;
    try {
      if (format === "twinwall-plan-1") found.plan ??= readPlan(content);
      else if (format === "twinwall-start-1") found.starts.push(readStart(content));
      else if (format === "twinwall-slip-1" || /(^|\/)(slips\/|slip)[^/]*$/.test(name)) found.slips.push([name, content]);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
    }
  }
  return found;
}

/** The start with this code, among those of the files and those that slips lead to; null when none has it. */
function knownStart(plan, starts, slips, code) {
  const fitting = starts.find((start) => same(start.plan, plan.digest) && hasCode(start, code));
  if (fitting !== undefined) return fitting;
  for (const [, bytes] of slips) {
    try {
      const claimed = startOfSlip(plan, readSlip(bytes));
      if (hasCode(claimed, code)) return claimed;
    } catch (error) {
      if (!(error instanceof FormatError || error instanceof NotProved)) throw error;
    }
  }
  return null;
}
