import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { BadRequest } from "./bad-request.ts";
import type { Simulator } from "./contract.ts";
import type { SandboxEnv } from "./env.ts";
import { InjectedFault, FAULTS_MAX } from "./injected-fault.ts";
import { simulatorStub } from "./outbound.ts";
import { parseWith, readBody, type SandboxHttp } from "./read-body.ts";
import { findSimulator, simulators } from "./registry.ts";
import { RevokeInput, SettingsInput, SinceParam } from "./request-schemas.ts";

const BODY_MAX_BYTES = 1024 * 1024;

export const limitBody = bodyLimit({
  maxSize: BODY_MAX_BYTES,
  onError: (c) => c.json({ error: "the body is over 1 MiB", code: "body_too_large" }, 413),
});

export function requireSimulator(name: string): Simulator {
  const simulator = findSimulator(name);
  if (!simulator) {
    throw new BadRequest(`unknown platform "${name}"; the platforms are ${Object.keys(simulators).join(", ")}`);
  }
  return simulator;
}

const simulatorFromPath = (c: SandboxHttp): Simulator => requireSimulator(c.req.param("platform") ?? "");

/** The accounts that a parameter means: the platform's id of an account, or the name of a login. */
function accountsOf({ logins }: Simulator, accountOrLogin: string): readonly string[] {
  return logins.flatMap(({ name, accounts }) =>
    name === accountOrLogin ? accounts : accounts.filter((id) => id === accountOrLogin),
  );
}

/**
 * Routes that read and control the simulators. Both the service's sandbox and the simulators' own worker mount them
 * under /sandbox.
 */
export function platformRoutes() {
  const app = new Hono<{ Bindings: SandboxEnv }>();

  app.use(limitBody);

  app.get("/platforms", (c) =>
    c.json({
      platforms: Object.values(simulators).map(({ platform, hosts, logins }) => ({ platform, hosts, logins })),
    }),
  );

  app.get("/platforms/:platform/posts", async (c) => {
    const simulator = simulatorFromPath(c);
    const accountOrLogin = c.req.query("account");
    const stub = simulatorStub(c.env, simulator.platform);
    if (accountOrLogin === undefined) {
      return c.json({ posts: await stub.publishedPosts(null) });
    }
    const accounts = accountsOf(simulator, accountOrLogin);
    if (accounts.length === 0 && !simulator.logins.some((login) => login.name === accountOrLogin)) {
      throw new BadRequest(`${simulator.platform} has no account "${accountOrLogin}"`);
    }
    const postLists = await Promise.all(accounts.map((account) => stub.publishedPosts(account)));
    return c.json({
      posts: postLists.flat().toSorted((a, b) => Date.parse(a.accepted_at) - Date.parse(b.accepted_at)),
    });
  });

  // Comments and playlist entries of all accounts.
  app.get("/platforms/:platform/extras", async (c) =>
    c.json({ extras: await simulatorStub(c.env, simulatorFromPath(c).platform).publishedExtras() }),
  );

  app.get("/platforms/:platform/calls", async (c) => {
    const { platform } = simulatorFromPath(c);
    const since = parseWith(SinceParam, c.req.query("since") ?? 0);
    return c.json({ calls: await simulatorStub(c.env, platform).calls(since) });
  });

  // The secrets that scripts/crash/find-leaks.ts searches the logs for. The list is empty unless the worker records
  // them.
  app.get("/platforms/:platform/secrets", async (c) =>
    c.json({ secrets: await simulatorStub(c.env, simulatorFromPath(c).platform).secrets() }),
  );

  app.get("/platforms/:platform/faults", async (c) =>
    c.json({ faults: await simulatorStub(c.env, simulatorFromPath(c).platform).openFaults() }),
  );

  app.post("/platforms/:platform/faults", async (c) => {
    const stub = simulatorStub(c.env, simulatorFromPath(c).platform);
    const fault = await readBody(c, InjectedFault);
    const openFaults = await stub.addFault(fault);
    if (openFaults === null) {
      throw new BadRequest(`there are ${FAULTS_MAX} open faults already`);
    }
    return c.json({ fault, open_faults: openFaults });
  });

  app.delete("/platforms/:platform/faults", async (c) => {
    await simulatorStub(c.env, simulatorFromPath(c).platform).clearFaults();
    return c.json({ faults: [] });
  });

  app.post("/platforms/:platform/settings", async (c) => {
    const { platform } = simulatorFromPath(c);
    return c.json({ settings: await simulatorStub(c.env, platform).changeSettings(await readBody(c, SettingsInput)) });
  });

  app.post("/platforms/:platform/revoke", async (c) => {
    const { platform } = simulatorFromPath(c);
    const { account } = await readBody(c, RevokeInput);
    if (!(await simulatorStub(c.env, platform).revoke(account))) {
      throw new BadRequest(`no login of ${platform} with the account or name "${account}" has given the app access`);
    }
    return c.json({ revoked: true });
  });

  return app;
}
