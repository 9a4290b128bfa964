/** Where users have written before: there a platform is asked for what they wrote while nothing was connected. */
import { asColloquyError, type ColloquyError } from "../../errors.ts";
import { type DeliveryAddress, deliveryAddress } from "../../key/index.ts";
import type { Store } from "../../store/store.ts";
import { isoTime } from "../../util/time.ts";
import { objectIn, textIn } from "../../util/values.ts";
import type { Channel } from "../channel.ts";
import { type ChannelName, operationIdOf } from "../inbox/accept.ts";

interface KnownPlace {
  readonly address: DeliveryAddress;
  /** The time of the last message that was accepted there, by the clock of the platform. */
  readonly since: string;
}

const PLACES_MAX = 100;
const LAST_MESSAGES = 20;
/** Less than the time after which commands are forgotten: none is carried out twice. */
const AGE_MAX_MS = 6 * 86_400_000;
const AT_ONCE = 4;

export class CatchUp {
  readonly #store: Store;
  readonly #channel: Channel;
  readonly #onProblem: (problem: ColloquyError) => void;
  #running: Promise<void> = Promise.resolve();

  constructor(store: Store, channel: Channel, onProblem: (problem: ColloquyError) => void) {
    this.#store = store;
    this.#channel = channel;
    this.#onProblem = onProblem;
  }

  /** The places of the sessions that were used last, if the channel can be asked. */
  async places(): Promise<readonly KnownPlace[]> {
    return this.#channel.catchUp === undefined ? [] : knownPlaces(this.#store, this.#channel, Date.now());
  }

  /** New messages do not wait for it. */
  at(places: readonly KnownPlace[]): void {
    this.#run(async () => places);
  }

  since(since: string): void {
    this.#run(async () => (await this.places()).map((place) => ({ ...place, since })));
  }

  async settled(): Promise<void> {
    await this.#running;
  }

  /** One after the other. A place that cannot be read is reported, and the others are asked for. */
  #run(read: () => Promise<readonly KnownPlace[]>): void {
    const channel = this.#channel;
    const onError = (error: unknown): void =>
      this.#onProblem(asColloquyError(error, `Cannot ask ${channel.name} for earlier messages`));
    const run = async (): Promise<void> => {
      const left = (await read()).values();
      const work = async (): Promise<void> => {
        for (const place of left) await channel.catchUp?.(place).catch(onError);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    };
    this.#running = this.#running.then(run).catch(onError);
  }
}

async function knownPlaces(store: Store, channel: ChannelName, nowMs: number): Promise<KnownPlace[]> {
  const { items } = await store.list({ channel: channel.name, limit: PLACES_MAX });
  const found = await Promise.all(items.map(({ id }) => placeOf(store, id, channel, nowMs)));
  // A session that started over has several conversations in one place.
  const latest = new Map<string, KnownPlace>();
  for (const place of found) {
    if (place === undefined) continue;
    const name = JSON.stringify(place.address);
    const known = latest.get(name);
    if (known === undefined || known.since < place.since) latest.set(name, place);
  }
  return [...latest.values()];
}

async function placeOf(
  store: Store,
  id: string,
  channel: ChannelName,
  nowMs: number,
): Promise<KnownPlace | undefined> {
  const chat = await store.get(id);
  const { items } = (await chat?.messages({ last: LAST_MESSAGES })) ?? { items: [] };
  for (const entry of items.toReversed()) {
    const { messageId, from, to, threadId } = objectIn(entry.message.provenance) ?? {};
    const isOwn = typeof messageId === "string" && entry.id.startsWith(operationIdOf(channel, messageId));
    if (!isOwn || typeof from !== "string") continue;
    const { name, accountId } = channel;
    const address = { channel: name, accountId, from, to: textIn(to), threadId: textIn(threadId) };
    const oldest = isoTime(nowMs - AGE_MAX_MS);
    return { address: deliveryAddress(address), since: entry.at > oldest ? entry.at : oldest };
  }
  return undefined;
}
