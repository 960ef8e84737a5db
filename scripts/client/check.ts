import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, freePort, migrate, startService } from "../service.ts";
import { findStale } from "./generate.ts";
import { killDuringConfirm } from "./kills.ts";
import { packClient } from "./pack.ts";
import { type Project, readExamples, withProject } from "./project.ts";

/* Installs the package into an empty project, as a stranger would, and uses it with a running service. */

async function assertGenerated(): Promise<void> {
  const stale = await findStale();
  if (stale.length > 0) {
    throw new Error(`not what the document says now: ${stale.join(", ")}. Run \`npm run client -- generate\`.`);
  }
  console.log("the generated files are what the document says now");
}

/** A module of plain JavaScript that uses what the client has. */
const JOURNEY = `
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { Almanac, isAlmanacError, verifyWebhook } from "@almanac/client";
import { fileFromPath } from "@almanac/client/node";

const { ORIGIN, ALMANAC_KEY } = process.env;
const almanac = new Almanac({ baseUrl: ORIGIN + "/v1", token: () => ALMANAC_KEY });

const receiver = ORIGIN + "/sandbox/receivers/" + crypto.randomUUID();
const { webhook, secret } = await almanac.createWebhook({ body: { url: receiver, types: ["*"] } });
await almanac.testWebhook({ path: { id: webhook.id } });
const { deliveries } = await (await fetch(receiver)).json();
assert.equal((await verifyWebhook({ secret, ...deliveries[0] })).type, "webhook.test");

const sample = await fetch(ORIGIN + "/sandbox/media/portrait.jpg");
await writeFile("portrait.jpg", new Uint8Array(await sample.arrayBuffer()));
const item = await almanac.upload(await fileFromPath("portrait.jpg"));

const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
const result = await almanac.schedule(
  { caption: "From an empty project", scheduled_at, platforms: ["x"], media_items: [item] },
  { confirm: (preview) => preview.post_type === "image" },
);
assert.equal(result.state, "scheduled");
const ids = [];
for await (const { id } of almanac.posts({ limit: 1 })) ids.push(id);
assert.ok(ids.includes(result.post.id));
const edited = await almanac.edit({ post_ids: [result.post.id], shift_minutes: 30 }, { confirm: () => true });
assert.equal(edited.posts[0].version, result.post.version + 1);
assert.equal((await almanac.cancel(result.post.id, { confirm: () => true })).status, "cancelled");
const error = await almanac.getPost({ path: { id: crypto.randomUUID() } }).catch((thrown) => thrown);
assert.ok(isAlmanacError(error, "not_found"));
console.log(process.version);
`;

async function runExamples({ run }: Project, origin: string, key: string): Promise<number> {
  const examples = await readExamples(origin, crypto.randomUUID());
  const [first = ""] = examples;
  const printed = await run("newest", first, { ALMANAC_KEY: key });
  const [, postId] = /^([\da-f-]{36}) scheduled$/m.exec(printed) ?? [];
  if (postId === undefined) {
    throw new Error(`the first example of the README printed: ${printed}`);
  }
  for (const example of (await readExamples(origin, postId)).slice(1)) {
    await run("newest", example, { ALMANAC_KEY: key });
  }
  return examples.length;
}

export async function check(): Promise<void> {
  await assertGenerated();
  const tarball = await packClient();
  console.log(`packed: ${(await stat(tarball)).size} bytes`);
  const stateDir = await mkdtemp(join(tmpdir(), "almanac-client-service-"));
  try {
    await migrate(stateDir);
    const port = await freePort();
    const start = () => startService({ port, stateDir, logFile: join(stateDir, "service.log") });
    const service = await start();
    let last = service;
    try {
      const { origin } = service;
      const { api_key: key } = await call<{ api_key: string }>(origin, "POST", "/sandbox/users", { body: {} });
      await call(origin, "POST", "/sandbox/connect", { body: { api_key: key, platform: "x" } });
      await withProject(tarball, async (project) => {
        console.log(`a Worker with the whole client: ${await project.bundle()} bytes, minified`);
        for (const runtime of ["oldest", "newest"] as const) {
          const version = await project.run(runtime, JOURNEY, { ORIGIN: origin, ALMANAC_KEY: key });
          console.log(`a journey in an empty project: Node ${version.trim()}`);
        }
        console.log(`examples of the README that run: ${await runExamples(project, origin, key)}`);
      });
      const { report, service: restarted } = await killDuringConfirm({ origin, key, service, start, kills: 1 });
      last = restarted;
      console.log(report);
    } finally {
      await last.stop();
    }
  } finally {
    await rm(stateDir, { recursive: true, force: true });
  }
}
