import type { Services } from "#context.ts";
import type { ConditionalDb } from "#db/conditional.ts";

/** An object whose methods all return promises, so that each method can first wait for `verify`. */
type Asynchronous<T> = Record<keyof T, (...args: never[]) => Promise<unknown>>;

/** Calls a method of `target` only after `verify`. */
function after<T extends Asynchronous<T>>(verify: () => Promise<void>, target: T): T {
  return new Proxy(target, {
    get:
      (_, name) =>
      async (...args: never[]) => {
        await verify();
        return target[name as keyof T](...args);
      },
  });
}

/**
 * The services for a caller whose credential is only remembered. Every call that leaves the isolate, except through
 * `db`, first waits until the credential is verified. Reading the plan of a confirmation token does not wait, because
 * it changes and shows nothing.
 */
export function unverifiedServices(services: Services, conditional: ConditionalDb): Services {
  const verify = () => conditional.assertMet();
  const { tokens, outbound, mailer } = services;
  return {
    db: conditional.db,
    tokens: {
      get: tokens.get.bind(tokens),
      put: async (...args) => {
        await verify();
        return tokens.put(...args);
      },
    },
    bucket: after(verify, services.bucket),
    images: services.images && after(verify, services.images),
    config: services.config,
    clock: services.clock,
    ids: services.ids,
    outbound: {
      platformFetch: async (request) => {
        await verify();
        return outbound.platformFetch(request);
      },
      publicFetch: async (request) => {
        await verify();
        return outbound.publicFetch(request);
      },
      browserUrl: (url, login) => outbound.browserUrl(url, login),
      trustedMediaOrigin: outbound.trustedMediaOrigin,
    },
    adapterFor: (platform) => services.adapterFor(platform),
    arm: async (hint) => {
      await verify();
      return services.arm(hint);
    },
    rearm: async (postId) => {
      await verify();
      return services.rearm(postId);
    },
    keptPlans: (userId) => {
      const plans = services.keptPlans(userId);
      return {
        keepPlan: async (...args) => {
          await verify();
          return plans.keepPlan(...args);
        },
        keptPlan: (key) => plans.keptPlan(key),
      };
    },
    inspectRunner: async (postId) => {
      await verify();
      return services.inspectRunner(postId);
    },
    sender: (webhookId) => after(verify, services.sender(webhookId)),
    watch: after(verify, services.watch),
    mailer: mailer && after(verify, mailer),
    defer: (work) => services.defer(work),
  };
}
