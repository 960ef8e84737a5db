import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { buildCli, CLI_FOLDER } from "./cli/build.ts";
import { insertWorkspaces, placesOfDrafts } from "./crash/read-database.ts";
import { quantile } from "./quantile.ts";
import { call, freePort, migrate, startService } from "./service.ts";

/*
 * Shows that one key writes for many workspaces, whose calls name them, while the active workspace is switched:
 * `npm run workspaces:load -- [--workspaces 200] [--workers 4] [--writes 20000] [--way rest|mcp|cli]`.
 * The caption of each draft is the workspace for which it was written. The exit code is 1 if a draft is missing or in another workspace.
 * By REST it also compares the time of a read with the header and without it.
 */

const { values } = parseArgs({
  options: {
    workspaces: { type: "string", default: "200" },
    workers: { type: "string", default: "4" },
    writes: { type: "string", default: "20000" },
    way: { type: "string", default: "rest" },
  },
});
const [workspaceCount, workers, writes] = [Number(values.workspaces), Number(values.workers), Number(values.writes)];
const COMPARED_READS = 2000;
const SWITCH_EVERY_MS = 50;

interface Target {
  readonly origin: string;
  readonly key: string;
  readonly folder: string;
}

const headersOf = (key: string): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
});

async function send(url: string, headers: Record<string, string>, body?: object): Promise<string> {
  const response = await fetch(url, {
    method: body ? "POST" : "GET",
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok || text.includes('"isError":true')) {
    throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`);
  }
  return text;
}

const WAYS: Readonly<Record<string, (target: Target, workspace: string) => Promise<unknown>>> = {
  rest: ({ origin, key }, workspace) =>
    send(`${origin}/v1/drafts`, { ...headersOf(key), "almanac-workspace": workspace }, { caption: workspace }),
  mcp: ({ origin, key }, workspace) =>
    send(`${origin}/mcp`, headersOf(key), {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "save_draft", arguments: { content: { caption: workspace }, workspace_id: workspace } },
    }),
  cli: ({ origin, key, folder }, workspace) =>
    promisify(execFile)(
      process.execPath,
      [join(CLI_FOLDER, "dist", "almanac.js"), "drafts", "save", workspace, "--workspace", workspace],
      { env: { ...process.env, XDG_CONFIG_HOME: folder, ALMANAC_URL: origin, ALMANAC_API_KEY: key } },
    ),
};

/** The times of reads with the header and without it, in turns, so that both see the same machine. */
async function compareReads({ origin, key }: Target, workspaces: readonly string[]): Promise<void> {
  const times: { named: number[]; plain: number[] } = { named: [], plain: [] };
  for (let count = 0; count < COMPARED_READS; count += 1) {
    for (const name of ["named", "plain"] as const) {
      const workspace = workspaces[count % workspaces.length] ?? "";
      const headers = { ...headersOf(key), ...(name === "named" && { "almanac-workspace": workspace }) };
      const startedAt = performance.now();
      await send(`${origin}/v1/workspaces`, headers);
      times[name].push(performance.now() - startedAt);
    }
  }
  const p50 = (name: keyof typeof times) =>
    quantile(
      times[name].toSorted((a, b) => a - b),
      0.5,
    ).toFixed(2);
  console.log(`p50 of a read: ${p50("named")} ms with the header, ${p50("plain")} ms without`);
}

const write = WAYS[values.way];
if (!write || !(workspaceCount > 1 && workers > 0 && writes > 0)) {
  console.error(
    "usage: npm run workspaces:load -- [--workspaces 200] [--workers 4] [--writes 20000] [--way rest|mcp|cli]",
  );
  process.exit(2);
}
const folder = await mkdtemp(join(tmpdir(), "almanac-workspaces-"));
const stateDir = join(folder, "state");
await migrate(stateDir);
if (values.way === "cli") {
  await buildCli();
}
const service = await startService({ port: await freePort(), stateDir, logFile: join(folder, "service.log") });
try {
  const { origin } = service;
  const user = await call<{ user_id: string; api_key: string }>(origin, "POST", "/sandbox/users", { body: {} });
  const target = { origin, key: user.api_key, folder };
  // Beside the API, because the largest plan has fewer.
  const workspaces = await insertWorkspaces(stateDir, user.user_id, workspaceCount);
  const done = new AbortController();
  let [switches, written] = [0, 0];
  const switching = (async () => {
    while (!done.signal.aborted) {
      const id = workspaces[switches % workspaces.length];
      await call(origin, "POST", "/v1/workspaces/active", { key: target.key, body: { workspace_id: id } });
      switches += 1;
      await new Promise((resolve) => setTimeout(resolve, SWITCH_EVERY_MS));
    }
  })();
  const startedAt = Date.now();
  // As many workers at once as all workspaces have; each takes the next write of all. A command line is a process, so there are fewer.
  await Promise.all(
    Array.from({ length: values.way === "cli" ? workers : workers * workspaceCount }, async () => {
      for (let next = written++; next < writes; next = written++) {
        await write(target, workspaces[next % workspaces.length] ?? "");
      }
    }),
  );
  done.abort();
  await switching;
  const places = await placesOfDrafts(stateDir, user.user_id);
  const foreign = places.filter(({ workspaceId, caption }) => workspaceId !== caption).length;
  console.log(
    `${values.way}: ${places.length} of ${writes} writes for ${workspaceCount} workspaces in ${((Date.now() - startedAt) / 1000).toFixed(0)} s, the active one switched ${switches} times: ${foreign} foreign rows`,
  );
  if (values.way === "rest") {
    await compareReads(target, workspaces);
  }
  process.exitCode = foreign === 0 && places.length === writes ? 0 : 1;
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}
