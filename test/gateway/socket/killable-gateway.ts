/** A gateway that can be killed and started again on the same store, with a scripted model. */
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { connectGateway, type GatewayClient } from "../../../src/gateway/client/index.ts";
import { type ModelServer, modelServer, type Script } from "../../support/models/model-server.ts";
import { LineProcess } from "../../support/processes/line-process.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";

interface KillableGateway {
  readonly model: ModelServer;
  /** Of the store. */
  readonly target: string;
  start(): Promise<{ readonly client: GatewayClient; kill(): Promise<void> }>;
}

export async function killableGateway(script: Script): Promise<KillableGateway> {
  const model = await modelServer(script);
  onTestFinished(() => model.close());
  const folder = tempFolder();
  const target = `sqlite:${join(folder, "store.db")}`;
  const start: KillableGateway["start"] = async () => {
    const child = join(import.meta.dirname, "gateway-child.ts");
    const process = new LineProcess(child, [target, folder, model.baseUrls.openai]);
    onTestFinished(() => process.kill());
    await until(() => process.lines.length > 0);
    const [url = "", token = ""] = (process.lines[0] ?? "").split(" ");
    const client = connectGateway({ url, token });
    onTestFinished(() => client.close());
    const kill = async (): Promise<void> => {
      await process.kill();
      client.close();
    };
    return { client, kill };
  };
  return { model, target, start };
}
