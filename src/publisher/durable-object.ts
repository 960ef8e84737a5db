import { DurableObject } from "cloudflare:workers";
import type { ArmResult, ArmHint, KeptPlansApi, PostPublisherApi, RunnerSummary } from "#core/arming.ts";
import { systemClock } from "#core/clock.ts";
import type { Env } from "#config.ts";
import { createServices, type Services, type Outbound } from "#context.ts";
import { KeptPlans } from "./kept-plans.ts";
import { PostRunner } from "./post-runner.ts";
import { rearmPost } from "./rearm-post.ts";

/**
 * Defines the Durable Object class for posts, whose name is the post's id. An object named by a user's id stores
 * nothing and keeps the plans of the user's previews. It only connects parts: PostRunner and KeptPlans do the work.
 */
export function definePublisher(outboundOf: (env: Env, ctx: DurableObjectState) => Outbound) {
  return class PostPublisher extends DurableObject<Env> implements PostPublisherApi, KeptPlansApi {
    #runner: PostRunner | undefined;
    readonly #plans = new KeptPlans();

    /** The services of the object. It is a method, so that a test can replace it before the first call. */
    services(): Services {
      return createServices(this.env, outboundOf(this.env, this.ctx), (work) => this.ctx.waitUntil(work));
    }

    async sync(hint: ArmHint): Promise<ArmResult> {
      return await this.#open().sync(hint);
    }

    async rearm(postId: string): Promise<void> {
      await rearmPost({ ...this.services(), arm: (hint) => this.sync(hint) }, postId);
    }

    inspect(): Promise<RunnerSummary | null> {
      return Promise.resolve(this.#open().inspect());
    }

    keepPlan(key: string, plan: string): Promise<void> {
      this.#plans.keep(key, plan, systemClock.now());
      return Promise.resolve();
    }

    async keptPlan(key: string): Promise<string | null> {
      return this.#plans.find(key) ?? (await this.services().tokens.get(key));
    }

    override async alarm(): Promise<void> {
      await this.#open().alarm();
    }

    #open(): PostRunner {
      this.#runner ??= new PostRunner(this.ctx.storage, this.services(), sleep);
      return this.#runner;
    }
  };
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
