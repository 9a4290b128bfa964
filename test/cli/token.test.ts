import { describe, expect, it } from "vitest";
import { Auth } from "../../src/gateway/auth/auth.ts";
import { CLOSE } from "../../src/gateway/wire/frames.ts";
import { openPlace } from "../gateway/place.ts";
import { RawSocket } from "../gateway/socket/raw-socket.ts";
import { Place } from "./run-command.ts";

describe("token", () => {
  it("revoke closes an open connection of a running gateway", async () => {
    using folder = new Place();
    await using gateway = await openPlace({}, { stateDir: folder.state });
    const socket = await RawSocket.signedIn(gateway, "read");
    const { tokenId } = await gateway.auth.check(gateway.secrets.get("read") ?? "");
    await folder.json(["token", "revoke", tokenId]);
    expect(await socket.closed()).toBe(CLOSE.unauthorized);
  });

  it("creates, lists and revokes tokens that a running gateway knows at once", async () => {
    using place = new Place();
    await using auth = await Auth.open({ stateDir: place.state, config: {} });
    const made = await place.json([
      "token",
      "create",
      "--name",
      "bot",
      "--permission",
      "write",
      "--channel",
      "discord",
      "--key",
      "web:*",
      "--expires",
      "2999-01-31",
    ]);
    expect(made).toEqual({
      id: expect.any(String),
      token: expect.stringMatching(/^cqt_[\w-]{43}$/),
      permission: "write",
      scope: { channels: ["discord"], keys: ["web:*"] },
      expiresAt: expect.stringMatching(/^2999-01-3/),
    });
    const principal = await auth.check(made.token);
    expect(principal).toMatchObject({ permission: "write", scope: made.scope });
    const ended = new Promise<void>((resolve) => auth.onEnded(principal, resolve));

    const listed = await place.run(["token", "list"]);
    expect(listed.stdout).toContain(made.id);
    expect(listed.stdout).not.toContain(made.token);

    expect((await place.json(["token", "revoke", made.id])).token.revokedAt).toMatch(/Z$/);
    await expect(auth.check(made.token)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    await ended;
  });

  it("refuses what it does not understand", async () => {
    using place = new Place();
    for (const args of [
      ["create", "--permission", "root"],
      ["create", "--conversation", "../x"],
      ["create", "--expires", "soon"],
      ["create", "--expires", "2000-01-01"],
      ["revoke", "nobody"],
    ])
      expect((await place.run(["token", ...args])).code).toBeGreaterThan(0);
  });

  it("ends what former keys signed, if asked to", async () => {
    using place = new Place();
    await using auth = await Auth.open({ stateDir: place.state, config: {} });
    const client = { address: "::1", agent: null, origin: null, isSecure: false, port: 1, isLocal: true };
    const code = auth.signInLink("").split("=")[1] as string;
    const { accessToken } = await auth.signIn({ code }, { ...client, headers: () => [] });
    expect(await place.json(["token", "rotate-keys"])).toMatchObject({ overlapHours: 24 });
    const principal = await auth.check(accessToken);
    const ended = new Promise<void>((resolve) => auth.onEnded(principal, resolve));
    await place.json(["token", "rotate-keys", "--now"]);
    await expect(auth.check(accessToken)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    await ended;
  });
});
