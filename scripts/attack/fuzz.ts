import { SeededRandom } from "../crash/seeded-random.ts";
import type { Topic } from "./attack.ts";
import type { AttackedService } from "./attacked-service.ts";
import { type JsonSchema, type Operation, operationsOf, resolveSchema } from "./document.ts";

/**
 * Values that are sent instead of valid ones. Every URL must not be fetched, or is our own, so nothing leaves this
 * machine.
 */
const HOSTILE_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  "",
  " ",
  "x".repeat(5000),
  "\u0000",
  "\uFEFF\u202E\u200B",
  "👩‍👩‍👧‍👦".repeat(50),
  "a\u0301".repeat(200),
  "' OR 1=1 --",
  "${7*7}{{7*7}}<script>alert(1)</script>",
  "../../../etc/passwd",
  "2026-02-30T25:61:61Z",
  "9999-12-31T23:59:59Z",
  "-000001-01-01T00:00:00Z",
  "http://127.0.0.1/",
  "file:///etc/passwd",
  "javascript:alert(1)",
  [],
  {},
  [[[[[[[[]]]]]]]],
  [null, null],
  { toString: 1, constructor: null, length: -1 },
  { toJSON: "x", valueOf: "y" },
];

const RAW_BODIES = [
  "",
  "null",
  "[]",
  "1",
  '"text"',
  "{",
  '{"a":1,}',
  '{"a":1e999}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"caption":"\\ud800"}',
  `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`,
  "[".repeat(100_000),
];

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

class RequestGenerator {
  readonly #random: SeededRandom;
  readonly #service: AttackedService;
  /** Ids that exist, so that requests get beyond the first check. */
  readonly #ids: readonly string[];

  constructor(random: SeededRandom, service: AttackedService, ids: readonly string[]) {
    this.#random = random;
    this.#service = service;
    this.#ids = ids;
  }

  value(unresolved: JsonSchema, depth = 0): unknown {
    const random = this.#random;
    if (random.chance(0.12)) {
      return random.pick(HOSTILE_VALUES);
    }
    const schema = resolveSchema(this.#service.document, unresolved);
    const [alternative] = schema.anyOf ?? schema.allOf ?? [];
    if (alternative) {
      return this.value(random.pick(schema.anyOf ?? schema.allOf ?? [alternative]), depth + 1);
    }
    if (schema.enum) {
      return random.pick(schema.enum);
    }
    const type = typeof schema.type === "string" ? schema.type : schema.type?.[0];
    switch (type) {
      case "object":
        return Object.fromEntries(
          Object.entries(schema.properties ?? {})
            .filter(() => random.chance(depth === 0 ? 0.7 : 0.5))
            .map(([name, member]) => [name, this.value(member, depth + 1)]),
        );
      case "array":
        return Array.from({ length: Math.floor(random.between(0, 4)) }, () =>
          this.value(schema.items ?? {}, depth + 1),
        );
      case "integer":
      case "number":
        return Math.floor(random.between(-2, 2000));
      case "boolean":
        return random.chance(0.8);
      default:
        return this.#text(schema.format);
    }
  }

  #text(format: string | undefined): string {
    const random = this.#random;
    switch (format) {
      case "uuid":
        return random.pick(this.#ids);
      case "date-time":
        return new Date(Date.now() + Math.floor(random.between(-60, 100_000)) * 60_000).toISOString();
      case "uri":
        return random.pick([
          `${this.#service.origin}/sandbox/media/portrait.jpg`,
          `${this.#service.origin}/v1/accounts`,
          "https://10.0.0.1/a.jpg",
        ]);
      default:
        return random.pick(["Hello", "UTC", "a@example.com", "image/png", "portrait.jpg", ...this.#ids]);
    }
  }

  query(operation: Operation): string {
    const query = new URLSearchParams();
    for (const parameter of operation.parameters.filter((candidate) => candidate.in === "query")) {
      if (this.#random.chance(0.6)) {
        query.append(parameter.name, textOf(this.value(parameter.schema)));
      }
    }
    return query.size === 0 ? "" : `?${String(query)}`;
  }

  path({ path }: Operation): string {
    const id = this.#random.chance(0.5) ? this.#random.pick(this.#ids) : textOf(this.#random.pick(HOSTILE_VALUES));
    return path.replace("{id}", encodeURIComponent(id.slice(0, 500)) || "%20");
  }
}

const SEED = 20_261_122;

/** How many requests each operation gets. */
const REQUESTS = { body: 60, query: 25 } as const;

export default {
  topic: "fuzz",
  attacks: [
    {
      name: "bodies and queries made from the schemas of the document, with hostile values",
      slow: true,
      async run(service, log) {
        const user = await service.createUser();
        const accountIds = [await service.connect(user), await service.connect(user, "bluesky")];
        const postId = await service.schedulePost(user, accountIds[0] ?? "");
        const ids = [...accountIds, postId, user.workspaceId];
        const generator = new RequestGenerator(new SeededRandom(SEED), service, ids);
        for (const operation of operationsOf(service.document)) {
          for (let count = REQUESTS[operation.body ? "body" : "query"]; count > 0; count -= 1) {
            const json = operation.body === null ? undefined : generator.value(operation.body);
            const path = generator.path(operation) + generator.query(operation);
            // Skip the disconnect, because without an account the interesting part of the run would end.
            const isDisconnect = operation.id === "disconnectAccount";
            const answer = await service.send(operation.method, path, {
              key: user.key,
              json: isDisconnect ? { ...(json as object), confirm: false } : json,
            });
            log.expect(
              operation.statuses.includes(answer.status) && answer.json !== null,
              String(answer.status),
              `${operation.id} ${path} ${JSON.stringify(json)?.slice(0, 300)}: ${answer.status} ${answer.text.slice(0, 300)}`,
            );
          }
        }
      },
    },
    {
      name: "bodies that are not what they say",
      async run(service, log) {
        const { key } = await service.createUser();
        for (const { id, method, path, body } of operationsOf(service.document)) {
          if (body === null) {
            continue;
          }
          for (const raw of RAW_BODIES) {
            const headers = { "content-type": "application/json" };
            const answer = await service.send(method, path.replace("{id}", "x"), { key, body: raw, headers });
            // A draft may be empty, and it ignores unknown members.
            const isEmptyDraft = id === "createDraft" && answer.text.includes('"content":{}');
            log.expectStatus(`${id} ${raw.slice(0, 40)}`, answer, 400, 404, ...(isEmptyDraft ? [201] : []));
          }
        }
      },
    },
    {
      name: "bytes that are no UTF-8, and other media types",
      async run(service, log) {
        const { key } = await service.createUser();
        const invalid = Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d]);
        const headers = { "content-type": "application/json" };
        log.expectStatus(
          "invalid UTF-8",
          await service.send("POST", "/v1/workspaces", { key, body: invalid, headers }),
          400,
        );
        for (const type of [
          "text/plain",
          "application/xml",
          "multipart/form-data; boundary=x",
          "application/jsonp",
          "\\",
        ]) {
          const answer = await service.send("POST", "/v1/workspaces", {
            key,
            body: '{"name":"x"}',
            headers: { "content-type": type },
          });
          log.expectStatus(type, answer, 415);
        }
      },
    },
  ],
} satisfies Topic;
