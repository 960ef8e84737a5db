export { defineWebhookSender } from "./durable-object.ts";
