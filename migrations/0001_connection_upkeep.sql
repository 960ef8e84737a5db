ALTER TABLE `accounts` ADD `blocked_by` text;--> statement-breakpoint
ALTER TABLE `connections` ADD `sync_failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `connections` ADD `ends_at` integer;--> statement-breakpoint
CREATE INDEX `connections_person` ON `connections` (`platform`,`external_id`);