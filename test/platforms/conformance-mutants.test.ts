import { describe, test } from "vitest";
import type { TargetErrorCode } from "#core/codes.ts";
import { PLATFORMS } from "#core/platform.ts";
import type {
  Adapter,
  ConnectMethod,
  Connector,
  FaultCode,
  Login,
  PlatformClient,
  Result,
  StartedLogin,
} from "#platforms/contract.ts";
import { failed, rejected, succeeded } from "#platforms/fault.ts";
import { adapterFor } from "#platforms/registry.ts";
import { CLIENT_IDENTITY } from "../support/call-connector.ts";
import { SECRETS } from "../support/adapter-inputs.ts";
import { type ConnectSample, secretTokens } from "../support/platform-sample.ts";
import { sampleOf } from "../support/platform-samples.ts";
import { scriptedAdapter } from "../support/scripted-adapter.ts";
import { SCRIPTED_CONNECTOR_HOSTS, scriptedConnector, scriptedConnectorSample } from "../support/scripted-connector.ts";
import { unwrap } from "../support/unwrap.ts";
import { type ConnectCheck, failedChecks } from "./connect-checks.ts";

/*
 * The contract tests of conformance.test.ts fail for broken connectors: one function of an otherwise correct connector is
 * broken at a time. Without these tests, a suite whose samples never lead to a call would pass for every adapter.
 */

const OPERATIONS = ["start", "exchangeCode", "signIn", "listAccounts", "refresh"] as const;
type OperationName = (typeof OPERATIONS)[number];

/** A broken version of one function: `run` is the correct one, `success` a value as a successful call returns it. */
type Mutation = <T, Code extends FaultCode>(
  run: (client: PlatformClient) => Promise<Result<T, Code>>,
  client: PlatformClient,
  success: T,
) => Promise<Result<T, Code | TargetErrorCode>>;

interface Mutant {
  readonly mutate: Mutation;
  /** The check that fails, whatever else fails too. */
  readonly caughtBy: ConnectCheck;
}

const SUCCESS_CHECK = "every function succeeds with the platform's answers and sends exactly their requests";
const REFUSAL_CHECK = "a refusal of the platform is its fault";
const FAILURE_CHECK = "a failure of any request is a fault, not a throw and not a success";
const MIX_UP_CHECK = "the answer of another server than the one that a person named is refused before any request";
const REVOKE_CHECK = "revoking names the login and never throws";

const REFUSED = rejected("The platform refused the call.", { httpStatus: 400 });

const MUTANTS = {
  "turns refusals into success": {
    mutate: async (run, client, success) => {
      const result = await run(client);
      return result.ok ? result : succeeded(success);
    },
    caughtBy: REFUSAL_CHECK,
  },
  "succeeds without a request": {
    mutate: (_run, _client, success) => Promise.resolve(succeeded(success)),
    caughtBy: SUCCESS_CHECK,
  },
  "refuses without a request": {
    mutate: () => Promise.resolve(failed(REFUSED)),
    caughtBy: SUCCESS_CHECK,
  },
  "reports every refusal as another fault": {
    mutate: async (run, client) => {
      const result = await run(client);
      return result.ok ? result : failed({ ...result.fault, kind: "rate_limited", code: "rate_limited" });
    },
    caughtBy: REFUSAL_CHECK,
  },
  "throws instead of returning a fault": {
    mutate: async (run, client) => succeeded(unwrap(await run(client))),
    caughtBy: FAILURE_CHECK,
  },
  "sends a request to another host": {
    mutate: async (run, client) => {
      await client.fetch("https://elsewhere.example.com/");
      return await run(client);
    },
    caughtBy: SUCCESS_CHECK,
  },
  "discloses a token": {
    mutate: async (run, client) => {
      const result = await run(client);
      return result.ok ? result : failed({ ...result.fault, message: `Not accepted: ${SECRETS[0]}` });
    },
    caughtBy: REFUSAL_CHECK,
  },
} as const satisfies Readonly<Record<string, Mutant>>;

const MUTANT_NAMES = Object.keys(MUTANTS) as (keyof typeof MUTANTS)[];

const login: Login = { externalId: "1", displayName: "Ada", tokens: secretTokens() };
const startedLogin: StartedLogin = {
  url: new URL(`https://login.example.com/?state=st4te&redirect_uri=${CLIENT_IDENTITY.redirectUri}`),
  state: {},
};

function mutateMethod(method: ConnectMethod, operation: OperationName, mutate: Mutation): ConnectMethod {
  if (method.kind === "credentials") {
    return operation === "signIn"
      ? {
          ...method,
          signIn: (client, app, values, now) =>
            mutate((inner) => method.signIn(inner, app, values, now), client, login),
        }
      : method;
  }
  return {
    ...method,
    ...(operation === "start" && {
      start: (client, app, request) => mutate((inner) => method.start(inner, app, request), client, startedLogin),
    }),
    ...(operation === "exchangeCode" && {
      exchangeCode: (client, app, exchange) =>
        mutate((inner) => method.exchangeCode(inner, app, exchange), client, login),
    }),
  };
}

/** The adapter with one function of its connector broken. */
function mutateAdapter(adapter: Adapter, operation: OperationName, mutate: Mutation): Adapter {
  const { methods, tokenRefresh } = adapter.connect;
  const [firstMethod, ...otherMethods] = methods;
  const connect: Connector = {
    ...adapter.connect,
    methods: [
      mutateMethod(firstMethod, operation, mutate),
      ...otherMethods.map((method) => mutateMethod(method, operation, mutate)),
    ],
    ...(operation === "listAccounts" && {
      listAccounts: (client, app, tokens) =>
        mutate((inner) => adapter.connect.listAccounts(inner, app, tokens), client, { accounts: [], unpostable: [] }),
    }),
    ...(operation === "refresh" &&
      tokenRefresh.kind === "refresh" && {
        tokenRefresh: {
          ...tokenRefresh,
          refresh: (client, app, tokens, now) =>
            mutate((inner) => tokenRefresh.refresh(inner, app, tokens, now), client, secretTokens()),
        },
      }),
  };
  return { ...adapter, connect };
}

/** The functions of a connector that send requests and return results. */
function operationsOf(sample: ConnectSample): readonly OperationName[] {
  return OPERATIONS.filter((operation) => {
    switch (operation) {
      case "start":
        return sample.methods.some((method) => method.kind === "oauth" && method.start !== null);
      case "exchangeCode":
        return sample.methods.some((method) => method.kind === "oauth");
      case "signIn":
        return sample.methods.some((method) => method.kind === "credentials");
      case "listAccounts":
        return true;
      case "refresh":
        return sample.refresh !== null;
    }
  });
}

interface Subject {
  readonly name: string;
  readonly adapter: Adapter;
  readonly sample: ConnectSample;
}

const SUBJECTS: readonly Subject[] = [
  {
    name: "a connector with both methods",
    adapter: { ...scriptedAdapter("x"), hosts: SCRIPTED_CONNECTOR_HOSTS, connect: scriptedConnector },
    sample: scriptedConnectorSample,
  },
  ...PLATFORMS.flatMap((platform) => {
    const adapter = adapterFor(platform);
    return adapter ? [{ name: platform, adapter, sample: sampleOf(platform).connect }] : [];
  }),
];

describe.each(SUBJECTS)("$name", ({ adapter, sample }) => {
  test("passes the contract tests unchanged", async ({ expect }) => {
    expect(await failedChecks({ adapter, sample, expect })).toEqual([]);
  });

  describe.each(operationsOf(sample))("%s", (operation) => {
    test.for(MUTANT_NAMES)("that %s fails the contract tests", async (name, { expect }) => {
      const { mutate, caughtBy } = MUTANTS[name];
      const mutant = mutateAdapter(adapter, operation, mutate);
      expect(await failedChecks({ adapter: mutant, sample, expect }, [caughtBy])).toEqual([caughtBy]);
    });
  });

  test.runIf(adapter.hasUserNamedHosts)(
    "a login that any server may answer fails the contract tests",
    async ({ expect }) => {
      const [method, ...others] = adapter.connect.methods;
      const script = sample.methods[0];
      if (method.kind !== "oauth" || script?.kind !== "oauth") {
        throw new Error("the login in the browser comes first");
      }
      const { iss } = script.params;
      const careless: ConnectMethod = {
        ...method,
        exchangeCode: (client, app, exchange) => {
          const { iss: _, ...params } = exchange.params;
          return method.exchangeCode(client, app, {
            ...exchange,
            params: { ...params, ...(iss !== undefined && { iss }) },
          });
        },
      };
      const mutant: Adapter = { ...adapter, connect: { ...adapter.connect, methods: [careless, ...others] } };
      expect(await failedChecks({ adapter: mutant, sample, expect }, [MIX_UP_CHECK])).toEqual([MIX_UP_CHECK]);
    },
  );

  describe.runIf(adapter.connect.revoke)("revoke", () => {
    test.for<[string, Connector["revoke"]]>([
      ["sends no request", () => Promise.resolve()],
      ["is missing", null],
      ["does not name the login", async (client) => void (await client.fetch(`https://${adapter.hosts[0]}/revoke`))],
      [
        "throws after a refusal",
        async (client, app, tokens) => {
          let isRefused = false;
          const recording: PlatformClient = {
            fetch: async (url, init) => {
              const response = await client.fetch(url, init);
              isRefused ||= response.status >= 400;
              return response;
            },
          };
          await adapter.connect.revoke?.(recording, app, tokens);
          if (isRefused) {
            throw new Error("not revoked");
          }
        },
      ],
    ])("that %s fails the contract tests", async ([, revoke], { expect }) => {
      const mutant: Adapter = { ...adapter, connect: { ...adapter.connect, revoke } };
      expect(await failedChecks({ adapter: mutant, sample, expect }, [REVOKE_CHECK])).toEqual([REVOKE_CHECK]);
    });
  });
});
