CREATE TABLE `app_registrations` (
	`platform` text NOT NULL,
	`server` text NOT NULL,
	`sealed` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`platform`, `server`)
);
--> statement-breakpoint
ALTER TABLE `connect_states` ADD `method` text;--> statement-breakpoint
ALTER TABLE `connect_states` ADD `input` text;--> statement-breakpoint
ALTER TABLE `connect_states` ADD `sealed_started` text;--> statement-breakpoint
ALTER TABLE `connect_states` ADD `browser_hash` text;