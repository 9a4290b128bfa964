/** A gateway with a scripted model, and clients that note what they are told. */
import { onTestFinished } from "vitest";
import { connectGateway, type GatewayClient, type TopicEvent } from "../../../src/gateway/client/index.ts";
import type { Scope } from "../../../src/gateway/wire/auth.ts";
import type { AnyEventFrame, EventName, Events } from "../../../src/gateway/wire/frames.ts";
import type { Store } from "../../../src/store/store.ts";
import type { JsonObject } from "../../../src/util/json.ts";
import { type ModelServer, modelServer, type Script } from "../../support/models/model-server.ts";
import { until } from "../../support/until.ts";
import { openPlace, type Place } from "../place.ts";

export interface ChatScene {
  readonly place: Place;
  readonly model: ModelServer;
  readonly store: Store;
  /** Signed in as `admin`, or as another permission or scope. */
  client(as?: string, url?: string): GatewayClient;
}

export async function chatScene(
  script: Script,
  options: {
    readonly config?: JsonObject;
    readonly scopes?: Readonly<Record<string, Scope>>;
    readonly store?: Store;
    readonly hosts?: readonly string[];
  } = {},
): Promise<ChatScene> {
  const model = await modelServer(script);
  const models = [{ id: "small" }, { id: "large" }];
  const local = { baseUrl: model.baseUrls.openai, api: "openai-completions", models };
  const { scopes = {}, store, config, hosts = [] } = options;
  const place = await openPlace(scopes, {
    config: { models: { default: "local/small", providers: { local } }, ...config },
    hosts,
    ...(store === undefined ? {} : { store }),
  });
  onTestFinished(async () => {
    await place[Symbol.asyncDispose]();
    await model.close();
  });
  return {
    place,
    model,
    store: place.store,
    client: (as = "admin", url = place.gateway.url) => {
      const client = connectGateway({ url, token: place.secrets.get(as) ?? as });
      onTestFinished(() => client.close());
      return client;
    },
  };
}

/** Everything that a listener was told. */
export class Watch {
  readonly events: TopicEvent[] = [];
  readonly leave: () => void;

  constructor(client: GatewayClient, topic: string, text: "deltas" | "chunks" = "deltas") {
    this.leave = client.subscribe(topic, (event) => this.events.push(event), { text });
  }

  all<Name extends EventName>(name: Name): Events[Name][] {
    return this.events.filter((event) => event.event === name).map(({ data }) => data as Events[Name]);
  }

  /** Told by the gateway, not by the client. */
  get frames(): AnyEventFrame[] {
    return this.events.filter((event): event is AnyEventFrame => "n" in event);
  }

  async until(name: TopicEvent["event"], count = 1): Promise<void> {
    const found = (): number => this.events.filter(({ event }) => event === name).length;
    await until(
      () => found() >= count,
      () => `${count} × ${name}, but there were ${this.events.map(({ event }) => event).join(" ")}`,
    );
  }

  /** The text of the last step, put together from its deltas. Throws on a gap. */
  get text(): string {
    let text = "";
    for (const event of this.events) {
      if (event.event === "chat.step" || event.event === "chat.started") text = "";
      else if (event.event === "subscribed" && event.data.running !== null) {
        const { resumed, running } = event.data;
        if (resumed && text !== running.text) throw new Error(`"${text}" was resumed as "${running.text}"`);
        text = running.text;
      } else if (event.event === "chat.delta") {
        if (event.data.position !== text.length) {
          throw new Error(`A delta begins at ${event.data.position}, but the text ends at ${text.length}`);
        }
        text += event.data.text;
      }
    }
    return text;
  }
}
