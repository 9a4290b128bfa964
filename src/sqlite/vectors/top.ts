/** Something found, and how close it is: the cosine, from -1 to 1. */
export interface Scored {
  readonly item: number;
  readonly score: number;
}

/** The best few of many, best first; of equal ones the first item. */
export class Top {
  readonly #limit: number;
  readonly #best: Scored[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(item: number, score: number): void {
    const best = this.#best;
    const last = best.at(-1);
    if (best.length === this.#limit && last !== undefined && !isBefore(item, score, last)) return;
    let place = best.length;
    while (place > 0 && isBefore(item, score, best[place - 1] as Scored)) place--;
    best.splice(place, 0, { item, score });
    if (best.length > this.#limit) best.pop();
  }

  get best(): readonly Scored[] {
    return this.#best;
  }
}

function isBefore(item: number, score: number, other: Scored): boolean {
  return score > other.score || (score === other.score && item < other.item);
}
