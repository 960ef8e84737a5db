import { DurableObject } from "cloudflare:workers";
import type { Env } from "#config.ts";
import { createServices, type Outbound, type Services } from "#context.ts";
import type { Delivery, DeliveryPage, DeliveryTry, WebhookHealth, WebhookSenderApi } from "#core/webhook-sender.ts";

/** Defines the Durable Object class; an object's name is the id of its webhook. */
export function defineWebhookSender(outboundOf: (env: Env, ctx: DurableObjectState) => Outbound) {
  return class WebhookSender extends DurableObject<Env> implements WebhookSenderApi {
    /** A test replaces this method before the first call. */
    services(): Services {
      return createServices(this.env, outboundOf(this.env, this.ctx), (work) => this.ctx.waitUntil(work));
    }

    async wake(): Promise<void> {
      await this.ctx.storage.setAlarm(this.services().clock.now());
    }

    health(): Promise<WebhookHealth> {
      return Promise.resolve({ lastSuccessAt: null, lastFailureAt: null, failures: 0, pending: 0, nextTryAt: null });
    }

    sendTest(_event: Parameters<WebhookSenderApi["sendTest"]>[0]): Promise<DeliveryTry> {
      return Promise.reject(new Error("nothing is sent yet"));
    }

    deliveries(_query: Parameters<WebhookSenderApi["deliveries"]>[0]): Promise<DeliveryPage> {
      return Promise.resolve({ deliveries: [], next: null });
    }

    delivery(_id: string): Promise<Delivery | null> {
      return Promise.resolve(null);
    }

    resend(_id: string): Promise<Delivery | null> {
      return Promise.resolve(null);
    }

    replay(_afterSeq: number): Promise<{ readonly queued: number }> {
      return Promise.resolve({ queued: 0 });
    }

    erase(_subjectIds: readonly string[]): Promise<void> {
      return Promise.resolve();
    }

    async remove(): Promise<void> {
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
    }

    override alarm(): Promise<void> {
      return Promise.resolve();
    }
  };
}
