import { DurableObject } from "cloudflare:workers";
import type { ArmResult, ArmHint, PostPublisherApi, RunnerSummary } from "#core/arming.ts";
import type { Env } from "#config.ts";
import { createServices, type Services, type Outbound } from "#context.ts";
import { OpenCalls } from "./open-calls.ts";
import { PostRunner } from "./post-runner.ts";
import { rearmPost } from "./rearm-post.ts";

/** Defines the Durable Object class; an object's name is the id of its post. Wiring only: PostRunner does the work. */
export function definePublisher(outboundOf: (env: Env, ctx: DurableObjectState) => Outbound) {
  const openCalls = new OpenCalls();
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

    async inspect(): Promise<RunnerSummary | null> {
      return await this.#open().inspect();
    }

    override async alarm(info?: AlarmInvocationInfo): Promise<void> {
      await this.#open().alarm(info);
    }

    #open(): PostRunner {
      this.#runner ??= new PostRunner(this.ctx.storage, this.services(), sleep, this.ctx.id.name, openCalls);
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
