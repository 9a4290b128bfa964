import type { DatabaseSync } from "node:sqlite";
import { isDamage } from "../../../sqlite/damage.ts";
import type { Awaitable } from "../../engine.ts";
import type { Finding } from "../../queries.ts";
import type { Connection } from "../connection.ts";
import type { Statements } from "../statements.ts";
import type { SalvagedView } from "./view.ts";

/** An engine for a view of a damaged file, and its connection. */
interface View<E> {
  readonly engine: E;
  readonly connection: Connection;
}

interface Salvage<E> extends View<E> {
  readonly version: string;
  /** Whether it has everything, not only what readers of conversations need. */
  readonly isExact: boolean;
  readonly lost: readonly Finding[];
}

/** The engine of the damaged file. */
interface Origin<E> {
  readonly location: string;
  connection(): Connection;
  viewed(database: DatabaseSync): View<E>;
  damaged(problem: string): void;
}

/** Answers from everything that can be read of a damaged file, as a store in memory. */
export class Fallback<E> {
  readonly #origin: Origin<E>;
  #salvage: Salvage<E> | undefined;
  #lastUse: Promise<unknown> = Promise.resolve();

  constructor(origin: Origin<E>) {
    this.#origin = origin;
  }

  /**
   * One use at a time: the next one may replace and close the view. Throws `error` if it is not one of damage.
   * Unless it must be exact, the view may be one that was brought up to date.
   */
  async use<T>(
    error: unknown,
    work: (whole: E, lost: readonly Finding[]) => Awaitable<T>,
    isExact: boolean,
  ): Promise<T> {
    if (!isDamage(error)) throw error;
    const done = this.#lastUse.then(async () => {
      const { engine, lost } = await this.#current(error, isExact);
      return work(engine, lost);
    });
    this.#lastUse = done.catch(() => {});
    return done;
  }

  close(): void {
    this.#salvage?.connection.close();
    this.#salvage = undefined;
  }

  /** As of the last write. */
  async #current(error: unknown, isExact: boolean): Promise<Salvage<E>> {
    const { location } = this.#origin;
    const connection = this.#origin.connection();
    const { sql } = connection;
    const version = `${sql.dataVersion.get()?.[0]} ${sql.totalChanges.get()?.[0]}`;
    const last = this.#salvage;
    if (last?.version === version && (last.isExact || !isExact)) return last;
    const { salvagedView, catchUp } = await import("./view.ts");
    if (last !== undefined && !isExact && catchUp(last.connection, connection)) {
      this.#salvage = { ...last, version, isExact };
      return this.#salvage;
    }
    const view = salvagedView(location);
    if (view === undefined) throw error;
    this.close();
    adoptFeed(view.database, sql);
    const lost = lossesOf(location, error, view);
    this.#salvage = { ...this.#origin.viewed(view.database), version, isExact: true, lost };
    reportLosses(lost, this.#origin.damaged);
    return this.#salvage;
  }
}

/** The damage that led to a view, and then what the view lacks. */
export function lossesOf(location: string, error: unknown, { lost }: SalvagedView): readonly Finding[] {
  const { cause, message } = error as Error;
  const reason = cause instanceof Error ? cause.message : message;
  return [
    { code: "damaged-file", conversation: null, source: location, line: null, message: reason },
    ...lost,
  ];
}

export function reportLosses([file, ...lost]: readonly Finding[], damaged: (problem: string) => void): void {
  // Also when nothing is lost: the next damaged page may hold words.
  damaged(`The file is damaged (${file?.message}). Its readable pages are used: repair it soon`);
  for (const { conversation, message } of lost) {
    damaged(conversation === null ? message : `Conversation ${conversation}: ${message}`);
  }
}

/** Positions in the feed of the file are positions in the feed of the view, unless the file does not say which one it is. */
function adoptFeed(view: DatabaseSync, { feedTag }: Statements): void {
  try {
    view.prepare("UPDATE feed SET tag = ?").run(feedTag.get()?.[0] as number);
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}
