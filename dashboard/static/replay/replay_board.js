// Draws a table of a replay into an SVG element, in the places that the server's pictures have (data-geometry).
"use strict";
const ReplayBoard = (() => {
  const NAMESPACE = "http://www.w3.org/2000/svg";
  const WINDS = { E: "東", S: "南", W: "西", N: "北" };

  function add(parent, name, attributes, text) {
    const made = document.createElementNS(NAMESPACE, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  }

  class Board {
    constructor(svg, words) {
      this.svg = svg;
      this.words = words;
      this.places = JSON.parse(svg.dataset.geometry);
      this.tiles = svg.dataset.tiles;
      this.parts = new Map();
    }

    // Draws a moment with the seat `view` at the bottom; `open` says whose hands show their faces. What is unchanged stays.
    draw(table, view, open, title) {
      for (const name of ReplayTable.SEATS) {
        const [seat, turned] = [table.seats[name], this.rotation(name, view)];
        this.part(`wall-${name}`, turned, [seat.wall.length, seat.taken], (side) => this.wall(side, seat));
        this.part(`river-${name}`, turned, [seat.river, turned, table.last === name], (side) => this.river(side, table, name, turned));
        this.part(`hand-${name}`, turned, [seat.hand, seat.drawn, seat.melds, open(name)], (side) => this.hand(side, seat, name, open(name)));
        this.part(`melds-${name}`, turned, [seat.melds, open(name)], (side) => this.melds(side, seat, name, open(name)));
      }
      this.part("centre", 0, [view, title, table.won, table.turn], (side) => this.centre(side, table, view, title));
    }

    // A part of the picture, drawn anew where what it shows has changed.
    part(name, turned, shown, draw) {
      const old = this.parts.get(name);
      const content = JSON.stringify(shown);
      const group = old?.content === content ? old.group : add(this.svg, "g", {});
      group.setAttribute("transform", `rotate(${turned} 500 500)`);
      if (old?.group === group) return;
      draw(group);
      if (old) old.group.replaceWith(group);
      this.parts.set(name, { content, group });
    }

    rotation(seat, view) {
      return -90 * ((ReplayTable.SEATS.indexOf(seat) - ReplayTable.SEATS.indexOf(view) + 4) % 4);
    }

    tile(parent, kind, x, y, width, label, lying) {
      const height = (width * 84) / 60;
      const place = lying ? { transform: `translate(${x + height} ${y + height - width}) rotate(90)` } : { x, y };
      const name = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
      return add(parent, "use", { href: `${this.tiles}#t-${kind}`, width, height, ...place, ...name });
    }

    wall(side, seat) {
      const { wall } = this.places;
      const row = add(side, "g", { class: "wall", "aria-hidden": "true" });
      const total = seat.wall.length + seat.taken;
      const drawn = total - seat.wall.length;
      const left = 500 - (Math.ceil(total / 2) * wall.step) / 2;
      for (let index = 0; index < total; index += 1) {
        const lower = index % 2 === 1 || index === total - 1;
        const place = { x: left + Math.floor(index / 2) * wall.step, y: lower ? wall.lower : wall.upper };
        add(row, "rect", { class: index < drawn ? "gap" : "back", ...place, width: wall.width, height: wall.height, rx: 2.5 });
      }
    }

    river(side, table, name, rotation) {
      const { river } = this.places;
      const group = add(side, "g", { role: "group", "aria-label": this.words.river.replace("{seat}", this.words.seats[name]) });
      const laid = table.seats[name].river;
      laid.forEach((discard, index) => {
        const row = Math.min(Math.floor(discard.place / river.row), river.rows - 1);
        const x = river.x + (discard.place - row * river.row) * river.stepX;
        const y = river.y + row * river.stepY;
        const label = this.words.tiles[discard.tile];
        const face = this.tile(group, discard.tile, x, y, river.width, label, discard.riichi);
        if (discard.claimed) {
          face.setAttribute("class", "ghost-tile");
          add(group, "circle", { class: "disc", cx: x + 7, cy: y + 4, r: 11 });
          add(group, "text", { class: "disc-name", x: x + 7, y: y + 9.5, transform: `rotate(${-rotation} ${x + 7} ${y + 4})` }, WINDS[discard.claimed]);
        } else if (table.last === name && index === laid.length - 1) {
          add(group, "rect", { class: "last", x: x - 2, y: y - 2, width: river.width + 4, height: river.width * 1.4 + 4, rx: 7 });
        }
        if (discard.drawn) add(group, "circle", { class: "thrown", cx: x + river.width / 2, cy: y + river.width * 1.4 + 1, r: 3.4 });
      });
    }

    // Where a hand begins, so that hand and melds stand in the middle.
    left(seat) {
      const { hand } = this.places;
      let wide = this.concealed(seat) * hand.width;
      for (const meld of seat.melds) wide += this.meldWidth(meld) + hand.between;
      if (seat.melds.length) wide += hand.gap + hand.width + hand.meldGap - hand.between;
      return 500 - wide / 2;
    }

    concealed(seat) {
      return 13 - 3 * seat.melds.length;
    }

    hand(side, seat, name, open) {
      const { hand } = this.places;
      const shown = [...seat.hand].sort((one, other) => this.words.order.indexOf(one) - this.words.order.indexOf(other));
      const label = open ? { role: "group", "aria-label": this.words.hand.replace("{seat}", this.words.seats[name]) } : { "aria-hidden": "true" };
      const group = add(side, "g", label);
      const lay = (kind, x) => this.tile(group, open ? kind : "back", x, hand.y, hand.width, open && this.words.tiles[kind]);
      const left = this.left(seat);
      shown.forEach((kind, index) => lay(kind, left + index * hand.width));
      if (seat.drawn !== null) lay(seat.drawn, left + shown.length * hand.width + hand.gap);
    }

    melds(side, seat, name, open) {
      const { hand } = this.places;
      let x = this.left(seat) + this.concealed(seat) * hand.width + hand.gap + hand.width + hand.meldGap;
      for (const meld of seat.melds) {
        this.meld(side, meld, name, x, open);
        x += this.meldWidth(meld) + hand.between;
      }
    }

    meldWidth(meld) {
      const { hand } = this.places;
      return meld.tiles.length * hand.width + (meld.taken ? hand.width * 0.4 : 0);
    }

    meld(side, meld, name, left, open) {
      const { hand } = this.places;
      const kinds = [...meld.tiles];
      let lying = -1;
      if (meld.taken) {
        kinds.splice(kinds.indexOf(meld.taken), 1);
        const turns = (ReplayTable.SEATS.indexOf(meld.source) - ReplayTable.SEATS.indexOf(name) + 4) % 4;
        lying = { 3: 0, 2: 1, 1: kinds.length }[turns];
        kinds.splice(lying, 0, meld.taken);
      }
      let x = left;
      kinds.forEach((kind, index) => {
        const back = meld.down && !open;
        this.tile(side, back ? "back" : kind, x, hand.y, hand.width, this.words.tiles[back ? "back" : kind], index === lying);
        x += index === lying ? hand.width * 1.4 : hand.width;
      });
    }

    centre(group, table, view, title) {
      add(group, "rect", { class: "centre", x: 384, y: 384, width: 232, height: 232, rx: 24 });
      title.forEach(([kind, text], index) => add(group, "text", { class: kind, x: 500, y: [462, 500, 536, 566][index] }, text));
      for (const seat of ReplayTable.SEATS) {
        const turned = this.rotation(seat, view);
        const mark = add(group, "g", { transform: `rotate(${turned} 500 500)` });
        const won = table.won.includes(seat);
        add(mark, "text", { class: `replay-wind${won ? " won" : ""}${table.turn === seat ? " turn" : ""}`, x: 500, y: 609, transform: `rotate(${-turned} 500 600)` }, WINDS[seat]);
      }
    }
  }

  return { Board, WINDS };
})();
