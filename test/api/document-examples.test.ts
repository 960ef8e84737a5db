import { describe, test } from "vitest";
import {
  EXAMPLE_ACCOUNT_ID,
  EXAMPLE_APPROVAL_ID,
  EXAMPLE_DRAFT_ID,
  EXAMPLE_ID,
  EXAMPLE_KEY_ID,
  EXAMPLE_ORIGIN,
  EXAMPLE_OTHER_ACCOUNT_ID,
  EXAMPLE_PLATFORM,
  EXAMPLE_WEBHOOK_ID,
  EXAMPLE_WORKSPACE_ID,
} from "#wire/schemas/common.ts";
import { EXAMPLE_MEDIA_ITEM } from "#wire/schemas/media.ts";
import { connectOneAccount, isoInDays } from "../support/api-workflows.ts";
import { callApi } from "../support/call-api.ts";
import { createCaller } from "../support/create-caller.ts";
import { openApiDocument, operationsOf } from "../support/openapi-document.ts";
import { ORIGIN } from "../support/origin.ts";

/* The examples of the document tell one story: a picture of a glaze, previewed, confirmed, edited and published. */

type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };
type JsonObject = Readonly<Record<string, Json>>;

const document = await openApiDocument();
const operations = operationsOf(document);

const contentExamples = (content: Readonly<Record<string, object>> = {}): Json[] =>
  Object.values(content).flatMap((media) => {
    const { example, examples = {} } = media as { example?: Json; examples?: Record<string, { value: Json }> };
    return [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)];
  });

const examples: readonly (readonly [place: string, example: Json])[] = [
  ...operations.flatMap(({ operation }) => [
    ...contentExamples(operation.requestBody?.content).map((example) => [operation.operationId, example] as const),
    ...Object.values(operation.responses).flatMap(({ content }) =>
      contentExamples(content).map((example) => [operation.operationId, example] as const),
    ),
  ]),
  ...Object.entries(document.components.responses).flatMap(([name, { content }]) =>
    contentExamples(content).map((example) => [name, example] as const),
  ),
  ...Object.entries(document.webhooks).flatMap(([type, methods]) =>
    contentExamples(methods["post"]?.requestBody?.content).map((example) => [type, example] as const),
  ),
];

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function textOf(object: JsonObject | undefined, member: string): string {
  const value = object?.[member];
  if (typeof value !== "string") {
    throw new Error(`${member} is no text: ${JSON.stringify(value)}`);
  }
  return value;
}

function objectsIn(value: Json): JsonObject[] {
  if (Array.isArray(value)) {
    return value.flatMap(objectsIn);
  }
  return isObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}

const objects = examples.flatMap(([place, example]) => objectsIn(example).map((object) => ({ place, object })));
const posts = objects.filter(({ object }) => "plan_hash" in object && "targets" in object && "version" in object);

function exampleOf(operationId: string, part: "request" | "answer"): JsonObject {
  const found = operations.find(({ operation }) => operation.operationId === operationId)?.operation;
  const content =
    part === "request" ? found?.requestBody?.content : (found?.responses["200"] ?? found?.responses["201"])?.content;
  const [example] = contentExamples(content);
  if (example === undefined || !isObject(example)) {
    throw new Error(`${operationId} has no example of its ${part}`);
  }
  return example;
}

describe("the examples agree with each other", () => {
  test("on what lateness is", ({ expect }) => {
    const member = (schema: string, name: string) => {
      const members = document.components.schemas[schema]?.["properties"] as Record<string, unknown>;
      return JSON.stringify(members[name]);
    };
    for (const told of [member("Target", "late_by_ms"), member("ScheduleSummary", "lateness")]) {
      expect(told).toContain("rom the due time to the call that made the target public");
    }
    expect(member("Target", "started_at")).toContain("null while the first one is open");
  });

  test("on the ids of their things", ({ expect }) => {
    const cast = new Set([
      EXAMPLE_ID,
      EXAMPLE_ACCOUNT_ID,
      EXAMPLE_OTHER_ACCOUNT_ID,
      EXAMPLE_APPROVAL_ID,
      EXAMPLE_DRAFT_ID,
      EXAMPLE_KEY_ID,
      EXAMPLE_WEBHOOK_ID,
      EXAMPLE_WORKSPACE_ID,
      EXAMPLE_MEDIA_ITEM.id,
    ]);
    const strangers = objects.flatMap(({ place, object }) =>
      Object.entries(object)
        .filter(([name]) => name !== "request_id")
        .flatMap(([name, value]) =>
          typeof value === "string"
            ? (value.match(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g) ?? []).map((id) => ({ name, id }))
            : [],
        )
        .filter(({ id }) => !cast.has(id))
        .map(({ name, id }) => `${place} ${name}: ${id}`),
    );
    expect(strangers).toEqual([]);
    const of = (name: string) => [...new Set(objects.flatMap(({ object }) => object[name] ?? []))];
    expect(of("workspace_id")).toEqual([EXAMPLE_WORKSPACE_ID]);
    expect(of("webhook_id")).toEqual([EXAMPLE_WEBHOOK_ID]);
    expect(of("post_ids")).toEqual([EXAMPLE_ID]);
    expect(new Set(of("account_id"))).toEqual(new Set([EXAMPLE_ACCOUNT_ID, EXAMPLE_OTHER_ACCOUNT_ID]));
  });

  test("on the hosts", ({ expect }) => {
    const hosts = new Set(JSON.stringify(examples).match(/(?<=https:\/\/)[^/"\s]+/g));
    const { host } = new URL(EXAMPLE_ORIGIN);
    expect([...hosts].toSorted()).toEqual(
      [host, "images.example.net", "shop.example.com", "social.example.net"].toSorted(),
    );
  });

  test("on what an account, a file and a key are", ({ expect }) => {
    const [account] = exampleOf("listAccounts", "answer")["accounts"] as readonly JsonObject[];
    for (const { place, object } of objects) {
      if (object["account_id"] === EXAMPLE_ACCOUNT_ID && "platform" in object) {
        expect(object["platform"], place).toBe(account?.["platform"]);
        expect(object["username"] ?? account?.["username"], place).toBe(account?.["username"]);
      }
      if ("sha256" in object) {
        expect(object, place).toEqual(EXAMPLE_MEDIA_ITEM);
      }
      if (object["id"] === EXAMPLE_KEY_ID) {
        expect(object, place).toEqual({ kind: "key", id: EXAMPLE_KEY_ID, name: "Shop import" });
      }
    }
  });

  test("on the post: its content, and the hash of its time", ({ expect }) => {
    expect(posts.length).toBeGreaterThan(10);
    const hashes = new Map<Json | undefined, Json | undefined>();
    for (const { place, object } of objects.filter(({ object: { plan_hash: hash } }) => hash !== undefined)) {
      if ("scheduled_at" in object) {
        const hash = hashes.get(object["scheduled_at"]) ?? object["plan_hash"];
        hashes.set(object["scheduled_at"], hash);
        expect(object["plan_hash"], place).toBe(hash);
        if ("caption" in object) {
          expect(object["caption"], place).toBe(exampleOf("previewPost", "request")["caption"]);
        }
      }
    }
    expect(new Set(hashes.values()).size).toBe(hashes.size);
  });

  test("on the order of times", ({ expect }) => {
    for (const { place, object } of posts) {
      expect(textOf(object, "created_at") <= textOf(object, "updated_at"), place).toBe(true);
      for (const target of object["targets"] as readonly JsonObject[]) {
        expect(target["due_at"], place).toBe(object["scheduled_at"]);
        if (target["published_at"] !== null) {
          const lateMs = Date.parse(textOf(target, "started_at")) - Date.parse(textOf(target, "due_at"));
          expect(target["late_by_ms"], place).toBe(lateMs);
        }
      }
    }
    for (const { place, object } of objects.filter(({ object: { seq } }) => typeof seq === "number")) {
      expect(Number(object["seq"]), place).toBe(Date.parse(textOf(object, "timestamp")) * 1000);
    }
  });

  test.for([
    ["previewPost", "confirmPost"],
    ["previewEdit", "confirmEdit"],
  ] as const)("on the token from %s to %s, and on its time", ([previewId, confirmId], { expect }) => {
    const previewed = exampleOf(previewId, "answer");
    expect(exampleOf(confirmId, "request")["confirmation_token"]).toBe(previewed["confirmation_token"]);
    const [post] = exampleOf(confirmId, "answer")["posts"] as readonly JsonObject[];
    const confirmedAt = textOf(post, "updated_at");
    expect(confirmedAt < textOf(previewed, "expires_at")).toBe(true);
    expect(Date.parse(confirmedAt)).toBeGreaterThan(Date.parse(textOf(previewed, "expires_at")) - 300_000);
  });
});

/** The members of a value, with `[]` for the items of a list; nothing below what is null or empty. */
function shapeOf(value: Json, path = ""): string[] {
  if (Array.isArray(value)) {
    return [...new Set(value.flatMap((item: Json) => shapeOf(item, `${path}[]`)))];
  }
  return isObject(value)
    ? Object.entries(value).flatMap(([name, member]) => [`${path}.${name}`, ...shapeOf(member, `${path}.${name}`)])
    : [];
}

/** Free maps, and what only one side has: below null on the other. */
function differences(example: Json, answer: Json): string[] {
  const shapes = [shapeOf(example), shapeOf(answer)] as const;
  const isOnlyDeeper = (path: string, other: readonly string[]) => {
    const parent = path.slice(0, Math.max(path.lastIndexOf("."), path.lastIndexOf("[]")));
    return !other.some((candidate) => candidate.startsWith(`${parent}.`) || candidate.startsWith(`${parent}[`));
  };
  const only = (mine: readonly string[], other: readonly string[]) =>
    mine.filter((path) => !other.includes(path) && !/options/.test(path) && !isOnlyDeeper(path, other));
  return [...only(shapes[0], shapes[1]), ...only(shapes[1], shapes[0])];
}

describe("the examples agree with real answers", () => {
  test("when their story is played", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller, EXAMPLE_PLATFORM);
    const scheduledAt = isoInDays(30);
    const editedAt = isoInDays(31);
    const ids = new Map([[EXAMPLE_ACCOUNT_ID, account.id]]);

    /** Sends the example of a request, with the ids, addresses and times of this test. */
    async function play(operationId: string, path?: string): Promise<JsonObject> {
      const found = operations.find(({ operation }) => operation.operationId === operationId);
      const request = found?.operation.requestBody ? JSON.stringify(exampleOf(operationId, "request")) : undefined;
      const own = (text: string) => [...ids].reduce((replaced, [from, to]) => replaced.replaceAll(from, to), text);
      const body = request
        ?.replace("https://images.example.net/launch.jpg", `${ORIGIN}/sandbox/media/portrait.jpg`)
        .replaceAll("2026-12-24T18:00:00Z", scheduledAt)
        .replaceAll("2026-12-24T19:00:00Z", editedAt);
      const answer = await callApi(caller, {
        method: found?.method ?? "",
        path: own(path ?? found?.path ?? ""),
        ...(body !== undefined && { body: own(body) }),
        headers: { "content-type": "application/json" },
      });
      expect(answer.status, `${operationId}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
      expect(differences(exampleOf(operationId, "answer"), answer.body), operationId).toEqual([]);
      return answer.body;
    }

    await play("listAccounts");
    await play("listWorkspaces");
    await play("importMedia");
    await play("startUpload");
    const previewed = await play("previewPost");
    const { targets: [target] = [] } = previewed["preview"] as { targets?: readonly JsonObject[] };
    const { targets: [expected] = [] } = exampleOf("previewPost", "answer")["preview"] as {
      targets?: readonly JsonObject[];
    };
    expect(target).toEqual({ ...expected, account_id: account.id, username: account.username });
    ids.set(textOf(exampleOf("previewPost", "answer"), "confirmation_token"), textOf(previewed, "confirmation_token"));
    const confirmed = await play("confirmPost");
    const [post] = confirmed["posts"] as readonly JsonObject[];
    ids.set(EXAMPLE_ID, textOf(post, "id"));
    await play("getPost", `/posts/${EXAMPLE_ID}`);
    await play("listPosts");
    await play("summarizeSchedule");
    await play("setScheduleSlots");
    await play("getScheduleSlots");
    await play("getLimits");
    const edited = await play("previewEdit");
    ids.set(textOf(exampleOf("previewEdit", "answer"), "confirmation_token"), textOf(edited, "confirmation_token"));
    await play("confirmEdit");
    await play("cancelPost", `/posts/${EXAMPLE_ID}`);
    await play("createWebhook");
    await play("listWebhooks");
    await play("disconnectAccount");
  });
});
