/** Places that are counted for all and for each, so that one client or one token cannot take those of all others. */
import { ColloquyError } from "../../errors.ts";

/** For connections that have not sent a request, by their client. They have 5 seconds. */
export const TCP_CONNECTIONS_MAX = 8192;
const NEWCOMERS_EACH_MAX = 256;
/** For WebSockets that have not signed in, by their client. They have 5 seconds. */
const STRANGERS_MAX = 256;
const STRANGERS_EACH_MAX = 32;
/** For WebSockets and streams of those who have, by their token. */
const CONNECTIONS_MAX = 4096;
const CONNECTIONS_EACH_MAX = 1024;

export function placesOfNewcomers(): Shares {
  return new Shares(TCP_CONNECTIONS_MAX, NEWCOMERS_EACH_MAX);
}

export function placesOfStrangers(): Shares {
  return new Shares(STRANGERS_MAX, STRANGERS_EACH_MAX);
}

export function placesOfTokens(): Shares {
  return new Shares(CONNECTIONS_MAX, CONNECTIONS_EACH_MAX);
}

class Shares {
  readonly #max: number;
  readonly #eachMax: number;
  readonly #taken = new Map<string, number>();
  #total = 0;

  constructor(max: number, eachMax: number) {
    this.#max = max;
    this.#eachMax = eachMax;
  }

  /** Throws `RATE_LIMITED`, or takes a place. The result gives it back, once. */
  enter(name: string): () => void {
    const taken = this.#taken.get(name) ?? 0;
    if (this.#total >= this.#max || taken >= this.#eachMax)
      throw new ColloquyError("RATE_LIMITED", "There are too many connections. Try again in a moment");
    this.#total++;
    this.#taken.set(name, taken + 1);
    let isInside = true;
    return () => {
      if (isInside) this.#leave(name);
      isInside = false;
    };
  }

  #leave(name: string): void {
    this.#total--;
    const left = (this.#taken.get(name) ?? 0) - 1;
    if (left > 0) this.#taken.set(name, left);
    else this.#taken.delete(name);
  }
}
