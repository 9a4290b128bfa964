/** The tables of docs/reference/http.md, from the routes. */
import type { Route } from "../../../src/gateway/routes/route.ts";
import { ROUTES } from "../../../src/gateway/routes/table.ts";

export function httpReference(): string {
  const families = Map.groupBy(ROUTES, familyOf);
  return [...families]
    .map(([name, routes]) => [`## ${name}`, "", ...tableOf(routes)].join("\n"))
    .join("\n\n");
}

function familyOf({ path }: Route): string {
  const [, first = "", , third] = path.replace("/api/v1", "").split("/");
  if (!path.startsWith("/api/")) return path.startsWith("/auth/") ? "Signing in" : "Outside of `/api/v1`";
  return third === undefined || first !== "conversations"
    ? `\`${first}\``
    : `\`conversations/{id}/${third}\``;
}

function tableOf(routes: readonly Route[]): string[] {
  return [
    "| Request | Needs | |",
    "| --- | --- | --- |",
    ...routes.map((route) => {
      const { method, path, permission, summary } = route;
      const given = [
        ...Object.keys(route.query?.properties ?? {}),
        ...Object.keys(route.body?.properties ?? {}),
      ];
      const headers = Object.keys(route.headers ?? {});
      const parts = [
        summary,
        ...(given.length === 0 ? [] : [given.map((name) => `\`${name}\``).join(", ")]),
        ...(headers.length === 0 ? [] : [`headers ${headers.map((name) => `\`${name}\``).join(", ")}`]),
        ...(permission === "public" || route.scoped !== undefined ? [] : ["not with a scope"]),
      ];
      return `| \`${method} ${path}\` | ${permission} | ${parts.join("; ").replaceAll("|", "\\|")} |`;
    }),
  ];
}
