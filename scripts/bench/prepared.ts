import { Agent } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { generateSecret } from "#auth/secrets.ts";
import { systemClock } from "#core/clock.ts";
import { systemIds } from "#core/ids.ts";
import { sleep } from "../service.ts";
import type * as BenchData from "./bench-data.ts";
import { type RequestData, Requests, send } from "./requests.ts";
import { bundle, startRuntime } from "./runtime.ts";
import type { MiniflareConfig, WorkerModule } from "./workerd-config.ts";

/** The milliseconds that deferred work gets after the last response. */
const SETTLE_MS = 300;

/** A checkout's production bundle and a database that it has filled. */
export interface Prepared {
  readonly root: string;
  readonly modules: readonly WorkerModule[];
  readonly stateDir: string;
  readonly config: MiniflareConfig;
  readonly data: RequestData;
}

/** Bundles a checkout and fills a database through it; users and migrations come from the checkout too. */
export async function prepare(
  root: string,
  directory: string,
  { posts, perDay }: { readonly posts: number; readonly perDay: number },
): Promise<Prepared> {
  const { createBenchUser, copyPost, migrate } = (await import(
    pathToFileURL(join(root, "scripts", "bench", "bench-data.ts")).href
  )) as typeof BenchData;
  const modules = await bundle(root, join(directory, "bundle"));
  const stateDir = join(directory, "state");
  const runtime = await startRuntime(root, modules, stateDir);
  const agent = new Agent({ keepAlive: true });
  try {
    const d1 = await runtime.d1();
    await migrate(d1);
    const user = await createBenchUser(d1);
    const ids = systemIds(systemClock);
    const data = { ...user, unknownKey: generateSecret(ids, "api_key"), unknownPostId: ids.uuid() };
    const requests = new Requests({ ...data, postIds: [] });
    for (const operation of ["preview", "confirm"] as const) {
      const text = await send({ port: runtime.port }, agent, requests.next(operation));
      requests.take(operation, text);
    }
    const firstPost = await d1.prepare("SELECT id FROM posts").first<string>("id");
    await sleep(SETTLE_MS);
    const postIds = await copyPost(d1, firstPost ?? "", { count: posts - 1, perDay });
    return { root, modules, stateDir, config: runtime.config, data: { ...data, postIds } };
  } finally {
    agent.destroy();
    await runtime.stop();
  }
}
