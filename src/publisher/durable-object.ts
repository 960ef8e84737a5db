import { DurableObject } from "cloudflare:workers";
import type { ArmResult, ArmHint, PostPublisherApi, RunnerSummary } from "#core/arming.ts";
import type { Env } from "#config.ts";
import { createServices, type Services, type Outbound } from "#context.ts";
import { PostRunner } from "./post-runner.ts";
import { rearmPost } from "./rearm-post.ts";

/** Defines the Durable Object class; an object's name is the id of its post. Wiring only: PostRunner does the work. */
export function definePublisher(outboundOf: (env: Env, ctx: DurableObjectState) => Outbound) {
  return class PostPublisher extends DurableObject<Env> implements PostPublisherApi {
    #runner: PostRunner | undefined;

    /** A test replaces this method before the first call. */
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
