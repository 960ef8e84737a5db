import { DurableObject } from "cloudflare:workers";
import type { Env } from "#config.ts";
import { createServices, type Outbound, type Services } from "#context.ts";
import type { Delivery, DeliveryPage, DeliveryTry, WebhookHealth, WebhookSenderApi } from "#core/webhook-sender.ts";
import { DeliveryStore } from "./store-deliveries.ts";
import { WebhookRunner } from "./webhook-runner.ts";

interface Opened {
  readonly store: DeliveryStore;
  readonly runner: WebhookRunner;
}

/**
 * Defines the Durable Object class for webhooks, whose name is the webhook's id. It only connects parts: WebhookRunner
 * does the work.
 */
export function defineWebhookSender(outboundOf: (env: Env, ctx: DurableObjectState) => Outbound) {
  return class WebhookSender extends DurableObject<Env> implements WebhookSenderApi {
    #opened: Opened | undefined;

    /** The services of the object. It is a method, so that a test can replace it before the first call. */
    services(): Services {
      return createServices(this.env, outboundOf(this.env, this.ctx), (work) => this.ctx.waitUntil(work));
    }

    async wake(): Promise<void> {
      await this.#open().runner.wake();
    }

    health(): Promise<WebhookHealth> {
      return Promise.resolve(this.#open().store.health());
    }

    async sendTest(event: Parameters<WebhookSenderApi["sendTest"]>[0]): Promise<DeliveryTry> {
      return await this.#open().runner.sendTest(event);
    }

    deliveries(query: Parameters<WebhookSenderApi["deliveries"]>[0]): Promise<DeliveryPage> {
      return Promise.resolve(this.#open().store.page(query));
    }

    delivery(id: string): Promise<Delivery | null> {
      return Promise.resolve(this.#open().store.find(id));
    }

    async resend(id: string): Promise<Delivery | null> {
      return await this.#open().runner.resend(id);
    }

    async replay(afterSeq: number): Promise<{ readonly queued: number }> {
      return await this.#open().runner.replay(afterSeq);
    }

    erase(subjectIds: readonly string[]): Promise<void> {
      this.#open().runner.erase(subjectIds);
      return Promise.resolve();
    }

    async remove(): Promise<void> {
      await this.#open().runner.forget();
    }

    override async alarm(): Promise<void> {
      await this.#open().runner.alarm();
    }

    #open(): Opened {
      if (this.#opened === undefined) {
        const store = new DeliveryStore(this.ctx.storage);
        this.#opened = {
          store,
          runner: new WebhookRunner(this.#webhookId(store), this.ctx.storage, store, this.services()),
        };
      }
      return this.#opened;
    }

    /**
     * The id of the webhook. Calls get it from the runtime, but an alarm on an older runtime must read it from the
     * storage.
     */
    #webhookId(store: DeliveryStore): string {
      const id = this.ctx.id.name ?? store.state().webhookId;
      if (id === null) {
        throw new Error("an object without a name");
      }
      return id;
    }
  };
}
