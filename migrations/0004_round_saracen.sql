ALTER TABLE `connect_states` ADD `connection_id` text;--> statement-breakpoint
ALTER TABLE `connections` ADD `choose_until` integer;