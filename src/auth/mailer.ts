/** The way out for the few letters this service writes; exists only where the operator bound one. */
export interface Mailer {
  send(mail: { readonly to: string; readonly subject: string; readonly text: string }): Promise<void>;
}
