import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");

interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The section of the README: its secret, the delivery that really arrived, and the lines that verify it. */
async function readSection(): Promise<{ secret: string; delivery: Delivery; lines: string }> {
  const section = (await readFile(join(ROOT, "README.md"), "utf8")).split("### A webhook with curl")[1] ?? "";
  const blocks = (language: string): readonly string[] =>
    Array.from(section.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs")), ([, text = ""]) => text);
  const [created = "", received = ""] = blocks("json");
  const { deliveries } = JSON.parse(received) as { deliveries: readonly Delivery[] };
  return {
    secret: (JSON.parse(created) as { secret: string }).secret,
    delivery: deliveries[0]!,
    lines: blocks("js")[0]!,
  };
}

/** Runs the lines in Node with a delivery, at the time at which it was sent. */
async function verify(secret: string, { headers, body }: Delivery, lines: string): Promise<string> {
  const sentAt = Number(headers["webhook-timestamp"]) * 1000;
  const program = `Date.now = () => ${sentAt};
const headers = ${JSON.stringify(headers)};
const body = ${JSON.stringify(body)};
${lines}`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: ROOT,
    env: { ...process.env, ALMANAC_WEBHOOK_SECRET: secret },
  });
  return stdout.trim();
}

describe("the webhook in the README", () => {
  test("is verified by the lines below it", async () => {
    const { secret, delivery, lines } = await readSection();
    expect(await verify(secret, delivery, lines)).toBe("post.published published");
  });

  test("is not, once a letter of it is changed", async () => {
    const { secret, delivery, lines } = await readSection();
    const changed = { ...delivery, body: delivery.body.replace("Version 2", "Version 3") };
    await expect(verify(secret, changed, lines)).rejects.toThrow("No matching signature");
  });

  test("takes five lines", async () => {
    const { lines } = await readSection();
    expect(lines.trim().split("\n")).toHaveLength(5);
  });
});
