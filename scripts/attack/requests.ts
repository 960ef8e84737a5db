import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Topic } from "./attack.ts";

const EVIL = "evil.example";

/** Headers in which a proxy repeats the caller's original request. */
const PROXY_HEADERS: Readonly<Record<string, string>> = {
  "x-forwarded-host": EVIL,
  "x-forwarded-proto": "gopher",
  "x-forwarded-port": "1",
  "x-forwarded-prefix": "/evil",
  "x-original-url": "/sandbox/status",
  "x-rewrite-url": "/sandbox/status",
  forwarded: `host=${EVIL};proto=gopher`,
  "x-host": EVIL,
};

/** Spellings of a path that is protected, or of a file. */
const PATHS = [
  "//v1/accounts",
  "/v1//accounts",
  "/v1/./accounts",
  "/v1/../v1/accounts",
  "/v1/%61ccounts",
  "/v1/accounts%2f",
  "/v1/accounts;x=1",
  "/v1/accounts/..;/",
  "/v1/accounts%00",
  "/v1/accounts%20",
  "/V1/ACCOUNTS",
  "/v1\\accounts",
  "/v1/posts/..%2faccounts",
  "/v1/posts/%2e%2e/accounts",
  "/media/../v1/accounts",
  "/media/uploads/../../v1/accounts",
  "/login/../dashboard",
  "/login/..;/dashboard",
  "/login/%2e%2e/dashboard",
  "/dashboard//keys",
  "/dashboard/%6beys",
  "/dashboard/keys/.",
  "/DASHBOARD",
  "/media/..%2f..%2fetc%2fpasswd",
  "/media/%2e%2e/%2e%2e/etc/passwd",
  "/media/11111111-1111-4111-8111-111111111111/..%2f..%2fsecret",
  "/../wrangler.toml",
  "/.env",
  "/.dev.vars",
  "/.git/config",
  "/_headers",
  "/__debug",
];

export default {
  topic: "requests",
  attacks: [
    {
      name: "another Host, and proxy headers, end up in an address or open another route",
      async run(service, log) {
        const { key } = await service.createUser();
        const requests = [
          ["GET", "/"],
          ["GET", "/dashboard"],
          ["GET", "/v1/openapi.json"],
          ["GET", "/v1/accounts"],
          ["GET", "/.well-known/oauth-authorization-server"],
          ["GET", "/.well-known/oauth-protected-resource/v1"],
          ["POST", "/v1/accounts", { platform: "x" }],
          ["POST", "/v1/media/uploads", { filename: "a.png", content_type: "image/png", size_bytes: 100 }],
        ] as const;
        for (const [method, path, json] of requests) {
          const plain = await service.send(method, path, { key, json });
          for (const headers of [PROXY_HEADERS, { host: EVIL }, { host: `${EVIL}:443`, ...PROXY_HEADERS }]) {
            const answer = await service.send(method, path, { key, json, headers });
            const told = `${JSON.stringify(answer.headers)}${answer.text}`;
            log.expect(
              !told.includes(EVIL) && !told.includes("gopher"),
              "our own addresses",
              `${method} ${path} with ${JSON.stringify(headers)} names ${EVIL}: ${told.slice(0, 400)}`,
            );
            log.expect(
              answer.status === plain.status,
              "the same answer",
              `${path}: ${answer.status}, not ${plain.status}`,
            );
          }
        }
      },
    },
    {
      name: "another address in X-Forwarded-For and friends, to escape the limit of wrong credentials",
      async run(service, log) {
        const address = "198.51.100.9";
        let limited = 0;
        for (let count = 0; count < 80; count += 1) {
          const claimed = `203.0.113.${count}`;
          const { status } = await service.send("GET", "/v1/accounts", {
            key: `alk_${"y".repeat(49)}`,
            address,
            headers: {
              "x-forwarded-for": claimed,
              "x-real-ip": claimed,
              "true-client-ip": claimed,
              forwarded: `for=${claimed}`,
            },
          });
          limited += status === 429 ? 1 : 0;
        }
        log.expect(limited >= 10, `429 × ${limited}`, `80 wrong credentials from one address, ${limited} refused`);
      },
    },
    {
      name: "a method in a header, a parameter or a form",
      async run(service, log) {
        const user = await service.createUser();
        const { key } = user;
        const postId = await service.schedulePost(user, await service.connect(user));
        const path = `/v1/posts/${postId}`;
        for (const name of ["x-http-method-override", "x-http-method", "x-method-override"]) {
          await service.send("GET", path, { key, headers: { [name]: "DELETE" } });
          await service.send("POST", path, { key, json: { confirm: true }, headers: { [name]: "DELETE" } });
        }
        await service.send("POST", `${path}?_method=DELETE`, { key, json: { confirm: true, _method: "DELETE" } });
        const { json } = await service.send("GET", path, { key });
        log.expect(json.post.status === "scheduled", "not cancelled", `the post is ${json.post.status}`);
        for (const method of ["TRACE", "PUT", "PATCH", "PROPFIND", "QUERY"]) {
          log.expectStatus(method, await service.send(method, "/v1/accounts", { key }), 405, 501, 400);
        }
      },
    },
    {
      name: "other sites read answers with the user's cookies",
      async run(service, log) {
        const cookie = await service.signIn(await service.createUser());
        for (const path of ["/v1/accounts", "/dashboard", "/oauth/authorize", "/login", "/v1/openapi.json"]) {
          for (const origin of [`https://${EVIL}`, "null"]) {
            const { headers } = await service.send("GET", path, { cookie, headers: { origin } });
            const allowed = headers["access-control-allow-credentials"];
            log.expect(allowed === undefined, "no credentials", `${path} allows ${origin} to use cookies`);
          }
        }
      },
    },
    {
      name: "protected paths in other spellings, and files of the server",
      async run(service, log) {
        for (const path of PATHS) {
          const answer = await service.send("GET", path);
          log.expect(
            answer.status >= 300 && answer.status < 500,
            String(answer.status),
            `${path}: ${answer.status} ${answer.text.slice(0, 200)}`,
          );
        }
      },
    },
    {
      name: "bodies over the limit, with and without the right length, compressed, nested",
      async run(service, log) {
        const { key } = await service.createUser();
        const headers = { "content-type": "application/json" };
        const name = "x".repeat(2 * 1024 ** 2);
        log.expectStatus("2 MiB", await service.send("POST", "/v1/workspaces", { key, json: { name } }), 413, 0);
        log.expectStatus(
          "2 MiB in chunks",
          await service.send("POST", "/v1/workspaces", {
            key,
            body: `{"name":"${name}"}`,
            headers: { ...headers, "transfer-encoding": "chunked" },
          }),
          413,
          400,
          0,
        );
        const bomb = gzipSync(`{"name":"${"x".repeat(20 * 1024 ** 2)}"}`);
        for (const encoding of ["gzip", "deflate", "br", "gzip, gzip"]) {
          const answer = await service.send("POST", "/v1/workspaces", {
            key,
            body: bomb,
            headers: { ...headers, "content-encoding": encoding },
          });
          log.expectStatus(`20 MiB as ${encoding}`, answer, 415, 400);
        }
        const form = { email: "x".repeat(1024 ** 2), password: "x" };
        log.expectStatus("a form of 1 MiB", await service.send("POST", "/login", { form }), 413, 0);
        const many = Array.from({ length: 50_000 }, (_, index) => `m${index}=1`).join("&");
        const formType = { "content-type": "application/x-www-form-urlencoded", origin: service.origin };
        log.expectStatus(
          "50,000 fields",
          await service.send("POST", "/login", { body: many, headers: formType }),
          413,
          0,
        );
        const long = `/v1/posts?fields=${"x".repeat(10_000)}`;
        log.expectStatus("a query of 10 KB", await service.send("GET", long, { key }), 400, 414);
        const longKey = { authorization: `Bearer ${"x".repeat(8000)}` };
        log.expectStatus("a key of 8 KB", await service.send("GET", "/v1/posts", { headers: longKey }), 401, 400);
        const idempotency = { "idempotency-key": "x".repeat(5000) };
        const answer = await service.send("POST", "/v1/workspaces", { key, json: { name: "x" }, headers: idempotency });
        log.expectStatus("an Idempotency-Key of 5 KB", answer, 400);
      },
    },
    {
      name: "forty bodies that never end, while others are served",
      slow: true,
      async run(service, log) {
        const { key } = await service.createUser();
        const body = JSON.stringify({ name: "x".repeat(5000) });
        const headers = { "content-type": "application/json", "content-length": String(body.length) };
        const stalled = Array.from({ length: 40 }, () =>
          service.stall("POST", "/v1/workspaces", { key, body, headers }),
        );
        try {
          for (let count = 0; count < 5; count += 1) {
            const startedAt = Date.now();
            const { status } = await service.send("GET", "/v1/accounts", { key });
            const ms = Date.now() - startedAt;
            log.expect(status === 200 && ms < 5000, "others are served", `${status} after ${ms} ms`);
          }
        } finally {
          for (const end of stalled) {
            end();
          }
        }
      },
    },
    {
      name: "an Idempotency-Key of another user, and one that is used at the same time",
      async run(service, log) {
        const headers = { "idempotency-key": randomUUID() };
        const json = { name: "Studio" };
        const { key } = await service.createUser();
        const { key: other } = await service.createUser();
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => service.send("POST", "/v1/workspaces", { key, json, headers })),
        );
        const created = new Set(answers.flatMap((answer) => (answer.status === 201 ? [answer.json.workspace.id] : [])));
        log.expect(created.size === 1, "one workspace", `eight parallel calls made ${created.size} workspaces`);
        const theirs = await service.send("POST", "/v1/workspaces", { key: other, json, headers });
        const id = theirs.json?.workspace?.id;
        log.expect(
          theirs.status === 201 && !created.has(id),
          "a workspace of their own",
          `another user got ${theirs.text}`,
        );
      },
    },
  ],
} satisfies Topic;
