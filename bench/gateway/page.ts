import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { alternate, type BenchRow, sized } from "../harness.ts";
import { atLeast } from "../rows.ts";
import { Clients, openBenchPlace, ProcessorTime, showProcessorTime } from "./place.ts";

const CONNECTIONS = 16;
const REQUESTS = sized(100, 2);

/** A page of a conversation over HTTP, beside a route that only has to send the same bytes. */
export async function page(folder: string): Promise<BenchRow[]> {
  await using place = await openBenchPlace(folder);
  const chat = await place.store.create();
  const message = { role: "user", content: "x".repeat(1000) } as const;
  await chat.append(Array.from({ length: 200 }, () => message));
  const path = `/api/v1/conversations/${chat.id}/messages?last=50`;
  const authorization = `Bearer ${place.token}`;
  const body = await (await fetch(`${place.url}${path}`, { headers: { authorization } })).text();
  const headers = { "content-type": "application/json" };
  const app = new Hono().get("*", () => new Response(body, { headers }));
  const bare = createAdaptorServer({ fetch: app.fetch });
  bare.listen(0, "127.0.0.1");
  await once(bare, "listening");
  const bareUrl = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`;
  const clients = [place.url, bareUrl].map(
    (url) => new Clients("get", url, place.token, path, CONNECTIONS, REQUESTS),
  );
  const [ours, other] = clients as [Clients, Clients];
  await Promise.all(clients.map((one) => one.next()));
  const count = CONNECTIONS * REQUESTS;
  const [oursTime, bareTime] = [new ProcessorTime(), new ProcessorTime()];
  const times = await alternate({
    ours: () => oursTime.of(count, () => ours.round()),
    bare: () => bareTime.of(count, () => other.round()),
  });
  for (const one of clients) one.end();
  bare.close();
  const row = atLeast("GET of 50 messages, 16 connections, sqlite", times.ours, times.bare, 0.5);
  showProcessorTime(oursTime, bareTime);
  return [row];
}
