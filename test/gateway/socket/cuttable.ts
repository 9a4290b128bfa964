import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A cable between a client and a gateway, which can be cut and works again afterwards. */
export class Cuttable {
  port = 0;
  /** Where it leads to. */
  target = 0;
  isCut = false;
  #server: Server | undefined;
  readonly #ends = new Set<Socket>();

  static async open(): Promise<Cuttable> {
    const cable = new Cuttable();
    const server = createServer((near) => cable.#join(near));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    cable.port = (server.address() as AddressInfo).port;
    cable.#server = server;
    return cable;
  }

  cut(): void {
    for (const end of this.#ends) end.destroy();
    this.#ends.clear();
  }

  close(): void {
    this.cut();
    this.#server?.close();
  }

  #join(near: Socket): void {
    if (this.isCut) {
      near.destroy();
      return;
    }
    const far = connect(this.target, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#ends.add(from);
      from.on("error", () => {});
      from.on("close", () => to.destroy());
      from.pipe(to);
    }
  }
}
