// The panels beside the board of a replay: what was done in words, how far each hand is, what else was legal, the end, and the
// other tables of the deal.
"use strict";
const ReplayPanels = (() => {
  const { SEATS } = ReplayTable;
  const { WINDS } = ReplayBoard;
  const SVG = "http://www.w3.org/2000/svg";

  const find = (id) => document.getElementById(id);
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
  const signed = (number) => (number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "0");

  function made(tag, className, ...children) {
    const one = document.createElement(tag);
    if (className) one.className = className;
    one.append(...children);
    return one;
  }

  function wind(seat) {
    return made("span", "wind", WINDS[seat]);
  }

  // The moment of another play just after as many discards; its end where it had fewer.
  function sameMoment(other, discards) {
    const found = other.moments.findIndex((table) => table.discards === discards);
    return found < 0 ? other.moments.length - 1 : found;
  }

  class Panels {
    constructor(plays, words, drawings) {
      this.plays = plays;
      this.words = words;
      this.drawings = drawings;
    }

    named(kind) {
      return this.words.tiles[kind] ?? kind;
    }

    tile(kind) {
      const svg = document.createElementNS(SVG, "svg");
      const face = { class: "tile", viewBox: "0 0 60 84", role: "img", "aria-label": this.named(kind) };
      for (const [key, value] of Object.entries(face)) svg.setAttribute(key, value);
      const use = document.createElementNS(SVG, "use");
      use.setAttribute("href", `${this.drawings}#t-${kind}`);
      svg.append(use);
      return svg;
    }

    // What a step did, in words.
    told(step) {
      const { words } = this;
      if (!step) return words.beginning;
      const text = step.kind === "win-refused" ? (words.whys[step.text] ?? step.text) : step.text;
      const values = { seat: words.seats[step.seat], tile: this.named(step.tile), source: words.seats[step.source], text };
      switch (step.do) {
        case "discard":
          return fill(step.riichi ? words.riichi : step.drawn ? words.thrown : words.discard, values);
        case "meld":
          return fill(words.melds[step.meld], { ...values, tile: ReplayTable.tiles(step.tiles).map((kind) => this.named(kind)).join(" ") });
        case "win":
          return fill(step.source ? words.wins : words.selfdraw, values);
        case "note":
          return fill(words.notes[step.kind] ?? words.notes.other, { ...values, why: this.why(step) });
        case "end":
          return words.ends[step.reason];
        default:
          return fill(words[step.do], values);
      }
    }

    // Why the rules do not allow something.
    why(refused) {
      return this.words.whys[refused.why] ?? this.words.whys["not-allowed"];
    }

    // The kinds that complete a hand, each with what is to be said of it.
    waits(ready) {
      const { words } = this;
      const kinds = [["waits", ""], ["draws", words.only_drawn], ["short", words.too_little]];
      return kinds.flatMap(([key, note]) => ReplayTable.tiles(ready?.[key]).map((kind) => [kind, note]));
    }

    readiness(ready) {
      const kinds = this.waits(ready).map(([kind]) => this.named(kind));
      if (kinds.length) return fill(this.words.waits, { tiles: kinds.join(", ") });
      return fill(this.words.away, { count: ready.away ?? 0 });
    }

    seats(play, table, seen, own) {
      const rows = SEATS.map((seat) => {
        const row = made("li", seat === own ? "own" : "", wind(seat), made("strong", "", play.players[seat]));
        const { ready } = table.seats[seat];
        if (ready && seen(seat)) row.append(made("span", "quiet", this.readiness(ready)));
        return row;
      });
      find("replay-seats").replaceChildren(...rows);
    }

    ready(play, table, seen) {
      const { words } = this;
      const parts = SEATS.filter((seat) => seen(seat) && this.waits(table.seats[seat].ready).length).map((seat) => {
        const rows = this.waits(table.seats[seat].ready).map(([kind, note]) => this.wait(table, seat, kind, note));
        return made("div", "", made("h3", "", wind(seat), fill(words.ready, { name: play.players[seat] })), made("ul", "", ...rows));
      });
      find("replay-waits").replaceChildren(...(parts.length ? parts : [made("p", "quiet", words.nobody_ready)]));
    }

    wait(table, seat, kind, note) {
      const { words } = this;
      const places = ReplayTable.whereabouts(table, seat, kind);
      const left = places.reduce((sum, [place, , count]) => sum + (place === "hand" || place === "wall" ? count : 0), 0);
      const lie = places.map(([place, where, count]) => fill(words.places[place], { count, seat: words.seats[where] })).join(", ");
      const text = made("span", "", made("strong", "", fill(words.unseen, { count: left })), ` ${lie}`, note ? ` (${note})` : "");
      return made("li", "wait", this.tile(kind), text);
    }

    chances(table, next) {
      const { words } = this;
      const rows = (table.step?.chances ?? []).map((chance) => {
        const tiles = ReplayTable.tiles(chance.tiles);
        const row = made("li", "", wind(chance.seat), `${words.acts[chance.act]} `, ...tiles.map((kind) => this.tile(kind)));
        const same = next?.seat === chance.seat && (next.do === "win" ? chance.act === "win" : next.meld === chance.act);
        if (same && tiles.every((kind) => next.do === "win" || ReplayTable.tiles(next.tiles).includes(kind))) row.append(made("span", "pill green", words.played));
        return row;
      });
      for (const move of table.step?.barred ?? []) {
        const why = made("span", "quiet", `${fill(words.barred, { why: this.why(move) })} `);
        if (move.rule && document.documentElement.lang === "en") why.append(`(${move.rule})`);
        const tiles = ReplayTable.tiles(move.tiles).map((kind) => this.tile(kind));
        rows.push(made("li", "barred", wind(move.seat), `${words.acts[move.act]} `, ...tiles, why));
      }
      find("replay-chances").replaceChildren(...(rows.length ? rows : [made("li", "quiet", words.nothing)]));
    }

    outcome(play) {
      const wins = play.steps.filter((step) => step.do === "win");
      const ended = play.steps.find((step) => step.do === "end");
      if (!ended) return this.words.unfinished;
      return wins.length && ended.reason === "won" ? wins.map((step) => this.told(step)).join(" · ") : this.words.ends[ended.reason];
    }

    scores(play) {
      const scores = play.steps.find((step) => step.do === "end")?.scores ?? {};
      const cells = SEATS.filter((seat) => seat in scores).map((seat) => made("span", "", WINDS[seat], " ", made("b", "", signed(scores[seat]))));
      return made("p", "replay-scores", ...cells);
    }

    end(play, table) {
      const { words } = this;
      const step = table.step;
      const part = find("replay-end");
      part.hidden = step?.do !== "end";
      if (part.hidden) return;
      const fans = play.steps.filter((one) => one.do === "show" && one.total).map((one) => {
        const named = (one.fans ?? []).map((fan) => `${words.fans[fan.id]} ${fan.value}`).join(" · ");
        return made("p", "", wind(one.seat), made("strong", "", String(one.total)), ` ${named}`);
      });
      const paid = (step.payments ?? []).map((one) =>
        made("li", "", `${WINDS[one.payer] ?? "–"} → ${WINDS[one.to] ?? "–"} `, made("b", "", String(one.amount)), ` ${words.reasons[one.reason]}`),
      );
      part.replaceChildren(made("h2", "", this.outcome(play)), ...fans, this.scores(play), made("ul", "replay-paid", ...paid));
    }

    others(shown, table) {
      if (this.besides !== shown) {
        this.besides = shown;
        const rows = this.plays.map((other, index) => (index === shown ? null : this.other(other, index)));
        find("replay-others").replaceChildren(...rows.filter(Boolean));
      }
      for (const row of find("replay-others").children) {
        const open = row.querySelector("button");
        const other = this.plays[open.dataset.play];
        const at = sameMoment(other, table.discards);
        open.dataset.at = String(at);
        row.querySelector(".now").textContent = this.told(other.moments[at].step);
      }
    }

    other(other, index) {
      const { words } = this;
      const last = other.moments[other.moments.length - 1];
      const laid = other.steps.find((step) => step.do === "show" && last.won.includes(step.seat));
      const melds = laid ? last.seats[laid.seat].melds.map((meld) => made("span", "meld", ...meld.tiles.map((kind) => this.tile(kind)))) : [];
      const hand = laid ? [...melds, ...ReplayTable.tiles(laid.tiles).map((kind) => this.tile(kind)), made("span", "winning", this.tile(laid.winning))] : [];
      const turn = Math.max(...SEATS.map((seat) => last.seats[seat].river.length));
      const open = made("button", "", words.open_here);
      open.type = "button";
      open.dataset.play = String(index);
      open.setAttribute("aria-label", fill(words.open_table, { table: other.table }));
      const head = made("h3", "", this.outcome(other), " ", made("small", "", fill(words.turn, { turn })));
      const text = made("div", "", head, made("p", "quiet now"), made("p", "tiles", ...hand), this.scores(other));
      return made("li", "", made("span", "badge small", other.table), text, open);
    }
  }

  return { Panels, find, fill, made, signed, wind, sameMoment };
})();
