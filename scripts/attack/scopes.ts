import { SCOPES } from "#core/scope.ts";
import type { Topic } from "./attack.ts";
import { operationsOf } from "./document.ts";

const UNKNOWN_ID = "11111111-1111-4111-8111-111111111111";

const requestOf = ({ path, body }: { readonly path: string; readonly body: unknown }) => ({
  path: path.replace("{id}", UNKNOWN_ID),
  ...(body !== null && { json: {} }),
});

export default {
  topic: "scopes",
  attacks: [
    {
      name: "every operation with a key of every other scope",
      async run(service, log) {
        for (const scope of SCOPES) {
          const { key } = await service.createUser({ scopes: [scope] });
          for (const operation of operationsOf(service.document)) {
            const { path, ...request } = requestOf(operation);
            const answer = await service.send(operation.method, path, { key, ...request });
            const what = `${operation.id} with ${scope}`;
            if (operation.scopes.every((needed) => needed === scope)) {
              log.expect(answer.status !== 403, "allowed by its scope", `${what} answered 403: ${answer.text}`);
            } else {
              log.expectStatus(what, answer, 403);
            }
          }
        }
      },
    },
    {
      name: "every operation without a credential, with a wrong one, and with a session alone",
      async run(service, log) {
        const cookie = await service.signIn(await service.createUser());
        const wrongKey = `alk_${"x".repeat(49)}`;
        for (const operation of operationsOf(service.document)) {
          const { path, ...request } = requestOf(operation);
          const { method, id } = operation;
          log.expectStatus(`${id} without a credential`, await service.send(method, path, request), 401);
          log.expectStatus(`${id}, wrong key`, await service.send(method, path, { key: wrongKey, ...request }), 401);
          log.expectStatus(`${id}, session only`, await service.send(method, path, { cookie, ...request }), 401);
        }
      },
    },
    {
      name: "every operation without a subscription",
      async run(service, log) {
        const { key } = await service.createUser({ subscription: "canceled" });
        for (const operation of operationsOf(service.document)) {
          const { path, ...request } = requestOf(operation);
          log.expectStatus(operation.id, await service.send(operation.method, path, { key, ...request }), 403);
        }
      },
    },
    {
      name: "the key in the query, in a form and in a cookie",
      async run(service, log) {
        const { key } = await service.createUser();
        const path = "/v1/accounts";
        for (const name of ["access_token", "api_key", "token", "key", "authorization"]) {
          const encoded = encodeURIComponent(key);
          log.expectStatus(`?${name}=`, await service.send("GET", `${path}?${name}=${encoded}`), 401);
          log.expectStatus(`cookie ${name}`, await service.send("GET", path, { cookie: `${name}=${key}` }), 401);
          log.expectStatus(`form ${name}`, await service.send("POST", path, { form: { [name]: key } }), 401);
        }
      },
    },
  ],
} satisfies Topic;
