import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import type { AccountAccess, Job, JobFile } from "#platforms/contract.ts";
import { linkedin } from "#platforms/linkedin/index.ts";
import { createCommitRef } from "#platforms/linkedin/refs.ts";
import { changeSettings } from "../../sandbox/sandbox-api.ts";
import { pdf } from "../../media/pdf.ts";
import { accountAccess, image, job, NOW, validationInput } from "../../support/adapter-inputs.ts";
import { injectFault, logIn, publishedPosts, publishUntilSettled } from "../../support/drive-simulator.ts";
import { parseRequestBody, scriptedClient } from "../../support/scripted-http-client.ts";

/* documents-api: a PDF is uploaded whole with the token, processed, and named with its title by the post. */

let startTime = Date.parse("2026-12-01T09:00:00Z");
beforeEach(() => {
  startTime += 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: startTime });
});
afterEach(() => {
  vi.useRealTimers();
});

async function accountOf(kind: "member" | "organization"): Promise<AccountAccess> {
  const { accounts } = await logIn(linkedin, "ada", { PRODUCTS: "member,community" });
  const account = accounts.find(({ capabilities }) => capabilities["kind"] === kind);
  if (!account) {
    throw new Error(`ada has no ${kind}`);
  }
  return account;
}

const BYTES = pdf({ pages: 5 });

const file = (bytes = BYTES): JobFile => ({
  id: "0197a000-0000-7000-8000-000000000003",
  sizeBytes: bytes.length,
  sha256: "0".repeat(64),
  url: "https://media.example.com/0197a000-0000-7000-8000-000000000003/handbook.pdf",
  filename: "handbook.pdf",
  read: () => Promise.resolve(new Blob([bytes]).stream()),
});

const options = { document: { url: file().url, title: "The handbook", pages: 5 } };

const published = async (account: AccountAccess, caption: string) =>
  (await publishedPosts(linkedin, account.platformAccountId)).filter((post) => post.text === caption);

describe.for(["member", "organization"] as const)("a document of a %s", (kind) => {
  test("is uploaded before the post, which names it with its title", async ({ expect }) => {
    const account = await accountOf(kind);
    const caption = `A handbook of a ${kind}`;
    const settled = await publishUntilSettled(linkedin, account, { caption, options, document: file() });
    expect(settled).toMatchObject({ state: "published" });
    expect(await published(account, caption)).toMatchObject([
      { kind: "document", title: "The handbook", media: [{ type: "document", sha256: await sha256Hex(BYTES) }] },
    ]);
  });

  test("whose answer was lost is found by its URN at a page, and stays unknown at a member", async ({ expect }) => {
    const account = await accountOf(kind);
    const caption = `A lost answer of a ${kind}`;
    await injectFault(linkedin, {
      match: { method: "POST", path: "/rest/posts" },
      times: 1,
      effect: "drop_after",
    });
    const settled = await publishUntilSettled(linkedin, account, { caption, options, document: file() });
    expect(settled.state).toBe(kind === "member" ? "unknown" : "published");
    expect(settled.steps.filter((step) => step.startsWith("commit"))).toHaveLength(1);
    expect(await published(account, caption)).toHaveLength(1);
  });
});

test("a document that LinkedIn cannot process fails the post", async ({ expect }) => {
  const account = await accountOf("organization");
  const broken = Uint8Array.from(new TextEncoder().encode("no PDF at all"));
  const post = { caption: "Broken", options, document: file(broken) };
  expect(await publishUntilSettled(linkedin, account, post)).toMatchObject({
    state: "failed",
    fault: { code: "media_invalid" },
  });
  const long = { caption: "Long", options, document: file(pdf({ pages: 301 })) };
  expect(await publishUntilSettled(linkedin, account, long)).toMatchObject({ fault: { code: "media_invalid" } });
});

test("a document that is processed for long is waited for", async ({ expect }) => {
  await changeSettings("linkedin", { processing_ms: 90_000 });
  try {
    const account = await accountOf("organization");
    const settled = await publishUntilSettled(linkedin, account, { caption: "Slow", options, document: file() });
    expect(settled).toMatchObject({ state: "published" });
    expect(settled.steps.filter((step) => step === "prepare:again").length).toBeGreaterThan(10);
  } finally {
    await changeSettings("linkedin", { processing_ms: 2000 });
  }
});

describe("the calls", () => {
  const documentJob = (overrides: Partial<Job> = {}): Job => ({
    ...job({ account: accountAccess({ platformAccountId: "urn:li:organization:1", capabilities: { canList: true } }) }),
    options,
    document: file(),
    ...overrides,
  });

  test("of the upload carry the token and the whole file", async ({ expect }) => {
    const uploadUrl = "https://www.linkedin.com/dms-uploads/D1/0";
    const client = scriptedClient({ json: { value: { uploadUrl, document: "urn:li:document:D1" } } }, 201);
    const outcome = await linkedin.prepare(client, documentJob(), undefined);
    expect(outcome).toMatchObject({ state: "again", cursor: { kind: "document", urn: "urn:li:document:D1" } });
    const [initialize, put] = client.requests;
    expect(initialize?.url.href).toBe("https://api.linkedin.com/rest/documents?action=initializeUpload");
    expect(parseRequestBody(initialize)).toEqual({ initializeUploadRequest: { owner: "urn:li:organization:1" } });
    expect(put?.method).toBe("PUT");
    expect(put?.headers.get("content-type")).toBe("application/pdf");
    expect(put?.headers.get("content-length")).toBe(String(BYTES.length));
    expect(put?.headers.get("authorization")).toMatch(/^Bearer /);
  });

  test("of an upload to another host are not made", async ({ expect }) => {
    const client = scriptedClient({
      json: { value: { uploadUrl: "https://files.example.com/0", document: "urn:li:document:D1" } },
    });
    expect(await linkedin.prepare(client, documentJob(), undefined)).toMatchObject({ state: "refused" });
    expect(client.requests).toHaveLength(1);
  });

  test("of the post name the document and its title", async ({ expect }) => {
    const client = scriptedClient({ status: 201, headers: { "x-restli-id": "urn:li:share:1" } });
    await linkedin.commit(client, documentJob(), createCommitRef(["urn:li:document:D1"], NOW));
    expect(parseRequestBody(client.requests[0])).toMatchObject({
      content: { media: { id: "urn:li:document:D1", title: "The handbook" } },
    });
  });

  test("with the journal lost find it by its text and kind", async ({ expect }) => {
    const listed = (id: string) => ({
      json: {
        elements: [
          { id: "urn:li:share:1", commentary: "Release notes are out", createdAt: NOW, content: { media: { id } } },
        ],
      },
    });
    const committed = documentJob({ committedAt: NOW, lastCommittedAt: NOW, now: NOW + 60_000 });
    expect(await linkedin.verify(scriptedClient(listed("urn:li:document:D1")), committed, null)).toMatchObject({
      state: "published",
      remoteId: "urn:li:share:1",
    });
    const other = await linkedin.verify(scriptedClient(listed("urn:li:image:I1")), committed, null);
    expect(other.state).not.toBe("published");
  });
});

describe("a preview", () => {
  const problems = (overrides: Parameters<typeof validationInput>[0]) =>
    linkedin.validate(validationInput(overrides)).problems.map(({ code, param }) => `${code} ${param}`);

  test("takes a document alone", ({ expect }) => {
    expect(problems({ options })).toEqual([]);
    const article = { url: "https://example.com", title: "A page" };
    const poll = { question: "Which?", options: ["a", "b"], duration: "ONE_DAY" };
    expect(problems({ options, media: [image()] })).toEqual(["option_conflict platform_options.document"]);
    expect(problems({ options: { ...options, article } })).toEqual(["option_conflict platform_options.document"]);
    expect(problems({ options: { ...options, poll } })).toEqual(["option_conflict platform_options.poll"]);
  });

  test("names what is missing or too much", ({ expect }) => {
    expect(problems({ options: { document: { url: "https://example.com/a.pdf" } } })).toEqual([
      "option_required platform_options.document.title",
    ]);
    expect(problems({ options: { document: { url: "https://example.com/a.pdf", title: " " } } })).toEqual([
      "option_invalid platform_options.document.title",
    ]);
    expect(problems({ options: { document: "a.pdf" } })).toEqual(["option_invalid platform_options.document"]);
    const large = { ...options.document, pages: 301, size_bytes: 100_000_001 };
    expect(problems({ options: { document: large } })).toEqual([
      "media_too_large platform_options.document.url",
      "option_invalid platform_options.document.url",
    ]);
  });

  test("shows the title and, once they are counted, the number of pages", ({ expect }) => {
    const shown = (document: object) =>
      linkedin.appearance({ caption: "Hello", options: { document: { ...document } }, media: [], placement: null });
    expect(shown({ title: "The handbook", pages: 5 })).toMatchObject({
      document: { title: "The handbook", pages: 5 },
      lines: [],
    });
    expect(shown({ title: "The handbook" }).document).toEqual({ title: "The handbook", pages: null });
    expect(shown({ title: "" }).document).toBeNull();
  });
});
