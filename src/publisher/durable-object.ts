import { DurableObject } from "cloudflare:workers";
import type { ArmAnswer, ArmHint, PostPublisherApi } from "#core/arming.ts";
import type { Env } from "#config.ts";
import { createServices, type Services, type Outbound } from "#context.ts";
import { PostRunner } from "./post-runner.ts";

/** The Durable Object class of a post; its name is the post's id. Wiring only: PostRunner does the work. */
export function definePublisher(worldOf: (env: Env, ctx: DurableObjectState) => Outbound) {
  return class PostPublisher extends DurableObject<Env> implements PostPublisherApi {
    #runner: PostRunner | undefined;

    /** What the object works with; a test hands in its own before the first call. */
    services(): Services {
      return createServices(this.env, worldOf(this.env, this.ctx), (work) => this.ctx.waitUntil(work));
    }

    async sync(hint: ArmHint): Promise<ArmAnswer> {
      return await this.#open().sync(hint);
    }

    override async alarm(): Promise<void> {
      await this.#open().alarm();
    }

    #open(): PostRunner {
      this.#runner ??= new PostRunner(this.ctx.storage, this.services(), pause);
      return this.#runner;
    }
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
