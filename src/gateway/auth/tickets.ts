/** Tickets: each opens one WebSocket, for the principal and the origin that asked for it. */
import { unauthorized } from "../../errors.ts";
import type { Clock } from "../../util/time.ts";
import type { Random } from "../../util/uuid.ts";
import type { Principal } from "./principal.ts";
import { CREDENTIAL_CHARS_MAX, hashOf, newSecret } from "./records/secret-text.ts";

const TICKET_MS = 30_000;
const TICKETS_MAX = 10_000;
const TICKETS_EACH_MAX = 50;

interface Ticket {
  readonly principal: Principal;
  readonly origin: string | null;
  readonly expiresAt: number;
}

/** In memory: a ticket is younger than a restart. */
export class Tickets {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #tickets = new Map<string, Ticket>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** The oldest tickets of the same principal make room: others do not pay for a client that asks for thousands. */
  issue(
    principal: Principal,
    origin: string | null,
  ): { readonly ticket: string; readonly expiresAt: number } {
    const now = this.#clock();
    for (const [hash, { expiresAt }] of this.#tickets) if (expiresAt <= now) this.#tickets.delete(hash);
    const own = [...this.#tickets].filter(([, known]) => known.principal.tokenId === principal.tokenId);
    for (const [hash] of own.slice(0, Math.max(0, own.length + 1 - TICKETS_EACH_MAX)))
      this.#tickets.delete(hash);
    if (this.#tickets.size >= TICKETS_MAX) this.#tickets.delete(this.#tickets.keys().next().value ?? "");
    const ticket = newSecret("cqw_", this.#random);
    const expiresAt = now + TICKET_MS;
    this.#tickets.set(hashOf(ticket), { principal, origin, expiresAt });
    return { ticket, expiresAt };
  }

  /** A ticket that was shown is spent, also with the wrong origin. */
  take(ticket: string, origin: string | null): Principal {
    const hash = ticket.length > CREDENTIAL_CHARS_MAX ? "" : hashOf(ticket);
    const found = this.#tickets.get(hash);
    this.#tickets.delete(hash);
    if (found === undefined || found.expiresAt <= this.#clock() || found.origin !== origin)
      throw unauthorized("The ticket is not valid. Ask for another one");
    return found.principal;
  }
}
