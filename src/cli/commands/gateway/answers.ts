import { get as getPlain } from "node:http";
import { get as getSecure } from "node:https";

const WAIT_MS = 2000;

/** Whether a gateway answers at an address. Nothing secret is sent, so its certificate may be anybody's. */
export function answers(url: string): Promise<boolean> {
  const get = url.startsWith("https:") ? getSecure : getPlain;
  const options = { signal: AbortSignal.timeout(WAIT_MS), rejectUnauthorized: false };
  return new Promise((resolve) => {
    get(`${url}/health`, options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on("error", () => resolve(false));
  });
}
