import { exactCount } from "./count.tsx";

/** `1 branch`, `1,204 branches`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${exactCount(count)} ${count === 1 ? one : many}`;
}
