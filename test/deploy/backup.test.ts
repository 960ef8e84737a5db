import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, onTestFinished, test } from "vitest";
import { signedHeaders } from "../../scripts/backup/s3-signature.ts";
import { StatementSplitter } from "../../scripts/backup/sql-file.ts";
import { CloudflareApi } from "./cloudflare-api.ts";
import { Content } from "./cloudflare-account.ts";
import { answerFromCode, Operator } from "./operator.ts";

/* Backup and restore of the deployed service, against a small Cloudflare API. */

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const PICTURE = "a picture";
const MEDIA = `media/${sha256(PICTURE)}`;
const MINUTE = 60_000;

/** A post whose words have what splits statements and texts wrongly. */
const insertPost = (id: string, status: string, version: number, state: string) =>
  `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, watch_at, post_type, caption, media, platforms, plan_hash, confirm_hash, created_via, created_at, updated_at)
   VALUES ('${id}', 'w', 'ada', '${status}', 86400000, ${version}, ${status === "scheduled" ? 1 : "NULL"}, 'text', 'it''s; "${id}" -- v${version}\n; END;', '[]', '["x"]', 'h', 'c', 'api', 1, ${version});
   INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, history, updated_at)
   VALUES ('${id}', 'acc', 'x', 'ada', 'c', '{}', '${state}', 1, '[]', 1);`;

interface Scene {
  readonly api: CloudflareApi;
  readonly operator: Operator;
  readonly database: ReturnType<CloudflareApi["account"]["database"]>;
}

/** A deployed service with a user, posts and a file. */
async function deployed(): Promise<Scene> {
  const api = new CloudflareApi();
  api.answer = answerFromCode;
  await api.start();
  const operator = await Operator.withClone(api);
  onTestFinished(async () => {
    for (const database of api.account.databases) {
      database.close();
    }
    await api.stop();
    await operator.remove();
  });
  const { code, output } = await operator.deploy();
  if (code !== 0) {
    throw new Error(output);
  }
  const database = api.account.database("almanac");
  database.query(`
    INSERT INTO users (id, email, active_workspace_id, created_at) VALUES ('ada', 'ada@example.com', 'w', 1);
    INSERT INTO workspaces (id, user_id, name, created_at) VALUES ('w', 'ada', 'W', 1);
    INSERT INTO connections (id, user_id, workspace_id, platform, external_id, display_name, sealed_tokens, scopes, status, connected_at) VALUES ('c', 'ada', 'w', 'x', 'e', 'd', 'v1.k7.iv.text', '[]', 'active', 1);
    INSERT INTO media (id, user_id, workspace_id, state, type, content_type, filename, size_bytes, sha256, facts, created_at, sweep_at) VALUES ('m', 'ada', 'w', 'ready', 'image', 'image/png', 'f', ${PICTURE.length}, '${sha256(PICTURE)}', '{}', 1, 1);
    ${insertPost("p1", "scheduled", 1, "pending")} ${insertPost("p2", "scheduled", 1, "pending")} ${insertPost("p3", "scheduled", 1, "pending")}
    UPDATE service SET beat = 1000, epoch = 3;`);
  api.account.objects.set(MEDIA, new Content(Buffer.from(PICTURE), "image/png"));
  api.account.objects.set("archive/w/2026-01/part.jsonl.gz", new Content(Buffer.from("archived"), "application/gzip"));
  api.account.objects.set("incoming/x/1", new Content(Buffer.from("staged"), "application/octet-stream"));
  return { api, operator, database };
}

const backupsIn = async (operator: Operator): Promise<string[]> =>
  (await readdir(path.join(operator.folder, "backups"))).filter((name) => /^\d{8}T/.test(name)).toSorted();

/** What was done after the time that is restored. */
function goOn({ database }: Scene): void {
  database.query(`
    UPDATE post_targets SET state = 'published' WHERE post_id = 'p1';
    UPDATE posts SET status = 'published', watch_at = NULL, finished_at = 5, updated_at = 5 WHERE id = 'p1';
    UPDATE posts SET status = 'cancelled', version = 2, watch_at = NULL WHERE id = 'p2';
    DELETE FROM post_targets WHERE post_id = 'p3'; DELETE FROM posts WHERE id = 'p3';
    UPDATE connections SET sealed_tokens = 'v1.k7.iv.newer', token_version = 2;
    ${insertPost("p4", "scheduled", 1, "pending")}`);
}

const EXPECTED_POSTS = [
  { id: "p1", status: "published", version: 1, state: "published" },
  { id: "p2", status: "cancelled", version: 2, state: "pending" },
  { id: "p3", status: "scheduled", version: 1, state: "pending" },
  { id: "p4", status: "scheduled", version: 1, state: "pending" },
];

const plain = (rows: readonly unknown[]) => rows.map((row) => ({ ...(row as object) }));
const postsOf = ({ database }: Scene) =>
  plain(
    database.rows(
      "SELECT p.id, p.status, p.version, t.state FROM posts p LEFT JOIN post_targets t ON t.post_id = p.id ORDER BY p.id",
    ),
  );

/** What the cron does: the small Worker has none. */
function releaseWhenAsked(scene: Scene): () => void {
  const timer = setInterval(() => {
    const isAsked = scene.database.rows("SELECT 1 FROM sqlite_master WHERE name = 'service'").length > 0;
    if (isAsked) {
      scene.database.query("UPDATE service SET held = NULL, epoch = epoch + 1 WHERE held = 'reviewing'");
    }
  }, 300);
  return () => clearInterval(timer);
}

describe("a backup", { timeout: 120_000 }, () => {
  test("is whole, names no key, and fetches each file once", async ({ expect }) => {
    const scene = await deployed();
    const { api, operator } = scene;
    const first = await operator.run("backup", { args: ["--remote"] });
    expect(first.code, first.output).toBe(0);
    expect(api.unknown).toEqual([]);
    const [name = ""] = await backupsIn(operator);
    const manifest = JSON.parse(await operator.file(`backups/${name}/manifest.json`)) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      format: 1,
      serviceVersion: expect.stringMatching(/^1\.2\.3/),
      bookmark: api.account.database("almanac").bookmark,
      tokenKeyIds: ["k7"],
      database: { rows: { posts: 3, users: 1 } },
      objects: { count: 2 },
    });
    const database = new DatabaseSync(path.join(operator.folder, `backups/${name}/database.sqlite`), {
      readOnly: true,
    });
    expect(plain(database.prepare("SELECT id, caption FROM posts ORDER BY id").all())[0]).toEqual({
      id: "p1",
      caption: `it's; "p1" -- v1\n; END;`,
    });
    expect(database.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE type = 'trigger'").get()).not.toEqual({
      n: 0,
    });
    database.close();
    expect(await operator.file(`backups/objects/${MEDIA}`)).toBe(PICTURE);
    const second = await operator.run("backup", { args: ["--remote"] });
    expect(second.output).toContain("2 files, 0 of them new");
    const keys = api.account.workers.get("almanac")?.secrets["TOKEN_KEYS"] ?? "none";
    expect(first.output + second.output + JSON.stringify(manifest)).not.toContain(keys);

    // One that was changed afterwards is refused.
    const file = path.join(operator.folder, `backups/${name}/database.sqlite`);
    const bytes = await readFile(file);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await writeFile(file, bytes);
    const refused = await operator.run("restore", { args: ["--remote", "--yes", "--from", `backups/${name}`] });
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("is damaged")]);
    expect(plain(scene.database.rows("SELECT held FROM service"))).toEqual([{ held: null }]);
  });

  test("that was killed is never taken for a whole one, and the next run completes it", async ({ expect }) => {
    const scene = await deployed();
    const killed = await scene.operator.run("backup", {
      args: ["--remote"],
      killAfter: "GET /accounts/:account/r2/buckets/:bucket/objects/:key*",
    });
    expect(killed.code).toBeNull();
    expect((await backupsIn(scene.operator)).map((name) => name.endsWith(".part"))).toEqual([true]);
    const [half = ""] = await backupsIn(scene.operator);
    const refused = await scene.operator.run("restore", { args: ["--remote", "--yes", "--from", `backups/${half}`] });
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("is not a whole backup")]);
    const next = await scene.operator.run("backup", { args: ["--remote"] });
    expect(next.code, next.output).toBe(0);
    expect((await backupsIn(scene.operator)).map((name) => name.endsWith(".part"))).toEqual([false]);
  });
});

describe("a restore", { timeout: 180_000 }, () => {
  test("with Time Travel brings back what was lost and keeps what was done since", async ({ expect }) => {
    const scene = await deployed();
    const at = new Date(Date.now() - 5 * MINUTE);
    scene.database.remember(at.getTime());
    goOn(scene);
    const stop = releaseWhenAsked(scene);
    const asked = await scene.operator.run("restore", { args: ["--remote", "--to", at.toISOString()] });
    expect([asked.code, asked.output]).toEqual([1, expect.stringContaining("nobody can be asked here")]);
    expect(plain(scene.database.rows("SELECT held FROM service"))).toEqual([{ held: null }]);
    const run = await scene.operator.run("restore", { args: ["--remote", "--yes", "--to", at.toISOString()] });
    stop();
    expect(run.code, run.output).toBe(0);
    expect(scene.api.unknown).toEqual([]);
    expect(postsOf(scene)).toEqual(EXPECTED_POSTS);
    expect(plain(scene.database.rows("SELECT sealed_tokens FROM connections"))).toEqual([
      { sealed_tokens: "v1.k7.iv.newer" },
    ]);
    expect(plain(scene.database.rows("SELECT held FROM service"))).toEqual([{ held: null }]);
    expect(plain(scene.database.rows("SELECT day, scheduled, published FROM post_days"))).toEqual([
      { day: 1, scheduled: 2, published: 1 },
    ]);
    expect(run.output).toContain("1 posts were made since, 2 were changed since, 1 had been lost");
  });

  test("from a backup into an account that has lost database and files", async ({ expect }) => {
    const scene = await deployed();
    await scene.operator.run("backup", { args: ["--remote"] });
    const [name = ""] = await backupsIn(scene.operator);
    scene.api.account.databases.splice(0);
    scene.api.account.objects.clear();
    const database = scene.api.account.createDatabase("almanac");
    const lost = { ...scene, database };
    await scene.operator.deploy();
    const stop = releaseWhenAsked(lost);
    const run = await scene.operator.run("restore", { args: ["--remote", "--yes", "--from", `backups/${name}`] });
    stop();
    expect(run.code, run.output).toBe(0);
    expect(postsOf(lost).map((post) => (post as { id: string }).id)).toEqual(["p1", "p2", "p3"]);
    expect(Buffer.from(scene.api.account.objects.get(MEDIA)?.bytes ?? []).toString()).toBe(PICTURE);
    expect(scene.api.account.objects.get(MEDIA)?.contentType).toBe("image/png");
    expect(run.output).toContain("Nothing of the present is merged");
    const [login] = plain(database.rows("SELECT next_sync_at AS nextSyncAt FROM connections")) as {
      nextSyncAt: number;
    }[];
    expect(login?.nextSyncAt).toBeLessThanOrEqual(Date.now());
  });
});

describe("a restore of a file of more than 300 MB", { timeout: 300_000 }, () => {
  test("puts it back in parts with a token; without one it names it, pauses the posts that need it and releases the others", async ({
    expect,
  }) => {
    const scene = await deployed();
    const large = Buffer.alloc(300_000_001, "video");
    const key = `media/${createHash("sha256").update(large).digest("hex")}`;
    scene.database.query(`
      INSERT INTO media (id, user_id, workspace_id, state, type, content_type, filename, size_bytes, sha256, facts, created_at, sweep_at) VALUES ('v', 'ada', 'w', 'ready', 'video', 'video/mp4', 'f', ${large.length}, '${key.slice(6)}', '{}', 1, 1);
      INSERT INTO post_media (media_id, post_id) VALUES ('v', 'p2'), ('m', 'p3');`);
    scene.api.account.objects.set(key, new Content(large, "video/mp4"));
    const { code, output } = await scene.operator.run("backup", { args: ["--remote"] });
    expect(code, output).toBe(0);
    const [name = ""] = await backupsIn(scene.operator);
    scene.api.account.objects.clear();
    onTestFinished(releaseWhenAsked(scene));

    const oauth = `oauth_token = "${scene.api.token}"\nrefresh_token = "r"\nexpiration_time = "2099-01-01T00:00:00.000Z"\nscopes = ["account:read"]\n`;
    await scene.operator.write("home/.config/.wrangler/config/default.toml", oauth);
    const args = ["--remote", "--yes", "--from", `backups/${name}`];
    const without = await scene.operator.run("restore", { args, env: { CLOUDFLARE_API_TOKEN: "" } });
    expect(without.code, without.output).toBe(0);
    expect(without.output).toContain("1 files were put back into the bucket, 1 are missing");
    expect(without.output).toContain(`missing: ${key}: a file of more than 300 MB needs CLOUDFLARE_API_TOKEN`);
    expect(without.output).toContain("1 posts need a missing file and are paused; all others go on");
    expect(plain(scene.database.rows("SELECT id, status, paused_reason FROM posts ORDER BY id"))).toEqual([
      { id: "p1", status: "scheduled", paused_reason: null },
      { id: "p2", status: "paused", paused_reason: "restored" },
      { id: "p3", status: "scheduled", paused_reason: null },
    ]);
    expect(plain(scene.database.rows("SELECT held FROM service"))).toEqual([{ held: null }]);

    const run = await scene.operator.run("restore", { args });
    expect(run.code, run.output).toBe(0);
    expect(run.output).toContain("1 files were put back into the bucket, 0 are missing");
    const stored = scene.api.account.objects.get(key);
    expect([stored?.contentType, large.equals(stored?.bytes ?? Buffer.alloc(0))]).toEqual(["video/mp4", true]);
    expect(scene.api.seen.filter(({ name: call }) => call.endsWith(" parts")).map(({ status }) => status)).toEqual(
      Array.from({ length: 7 }, () => 200),
    );
    expect(scene.api.unknown).toEqual([]);
  });
});

test("requests to R2 are signed as AWS's own example is", ({ expect }) => {
  // https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, "Example: GET Object".
  const headers = signedHeaders(
    { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" },
    {
      method: "GET",
      url: new URL("https://examplebucket.s3.amazonaws.com/test.txt"),
      headers: { range: "bytes=0-9", "x-amz-content-sha256": sha256("") },
      region: "us-east-1",
      at: new Date("2013-05-24T00:00:00Z"),
    },
  );
  expect(headers["authorization"]).toBe(
    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  );
});

/* Each takes minutes: `npm run restore:faults`. */
describe.runIf(process.env["RESTORE_FAULTS"] === "all")("a restore that is killed", { timeout: 1_800_000 }, () => {
  test.for(["Time Travel", "a backup"])(
    "with %s: one run after the other is killed a call later, and the last one completes it",
    async (kind, { expect }) => {
      const scene = await deployed();
      const at = new Date(Date.now() - 5 * MINUTE);
      scene.database.remember(at.getTime());
      await scene.operator.run("backup", { args: ["--remote"] });
      const [name = ""] = await backupsIn(scene.operator);
      goOn(scene);
      const source = kind === "a backup" ? ["--from", `backups/${name}`] : ["--to", at.toISOString()];
      const stop = releaseWhenAsked(scene);
      onTestFinished(stop);
      const killedAfter: string[] = [];
      for (let nth = 3; ; nth += 1) {
        const run = await scene.operator.run("restore", {
          args: ["--remote", "--yes", ...source],
          trouble: { kind: "kill", nth, when: "after", kill: () => undefined },
        });
        if (run.code === 0) {
          break;
        }
        killedAfter.push(scene.api.seen.at(-1)?.name ?? "");
        const progress = await scene.operator.file("backups/restoring/progress.json").catch(() => "");
        const isHeld = scene.database.rows("SELECT 1 FROM service WHERE held = 'restored'").length === 1;
        // The moment between the travel and the hold after it is the guard's.
        const wasPutBack = progress.includes('"put_back"') && !progress.includes('"files"');
        expect(isHeld || !wasPutBack).toBe(true);
        expect(nth).toBeLessThan(60);
      }
      process.stdout.write(`${kind}: killed ${killedAfter.length} times: ${killedAfter.join(", ")}\n`);
      expect(killedAfter.length).toBeGreaterThan(3);
      expect(postsOf(scene)).toEqual(EXPECTED_POSTS);
    },
  );
});

test("statements are split where they end, however they arrive", ({ expect }) => {
  const sql = [
    "CREATE TABLE a (b TEXT DEFAULT ';');",
    "\n-- it's a comment;\nCREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET b = CASE WHEN 1 THEN 'x;y' END; SELECT 1; END;",
    `\nINSERT INTO "a;b" VALUES('it''s; END;', "c""d;");`,
    "\nSELECT 1",
  ];
  const text = sql.join("");
  for (let size = 1; size < 40; size += 1) {
    const splitter = new StatementSplitter();
    const parts = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    const statements = parts.flatMap((part) => [...splitter.push(part)]);
    expect([...statements, ...splitter.push("", true)]).toEqual(sql);
  }
});
