-- What version 0.1 itself wrote when people used it, for 0.2 to be tried on: an administrator, a person who was approved,
-- and one whose mailed link is still unused. Without ids that count and without what runs out within minutes.
insert into profiles (id, user_id, email, full_name, approved, email_verified_at, created_at, last_sign_in_at, types, marcas, estados, entitlement_version) values
  ('b0759399-8c31-4908-b6e3-fdab501ae5e8', '59e1d92a-c2ee-481f-983f-4ab21a37d60a', 'admin@grupopatio.com.br', 'Ada Ministra', 'true', '2026-11-22 10:52:28.573+00', '2026-11-22 10:52:30.502+00', '2026-11-22 10:52:28.573+00', '{Vendas}', '{FIAT}', '{RJ}', '1'),
  ('50b33d60-68bc-4992-85a0-0342834a3a2d', '19fe86b1-58fb-4af8-93f9-e214a7a5881a', 'caio@grupopatio.com.br', NULL, 'false', NULL, '2026-11-22 10:52:28.573+00', NULL, '{}', '{}', '{}', '1'),
  ('2108ffe5-a9fc-4a38-a80c-f4a6bfdde575', '0071cab8-7775-4b9f-bbc3-f4e1dbca1ca4', 'bia@grupopatio.com.br', NULL, 'true', '2026-11-22 10:52:28.573+00', '2026-11-22 10:52:28.573+00', '2026-11-22 10:52:28.573+00', '{Vendas}', '{FIAT,GM}', '{RJ,ES}', '5');
insert into passwords (user_id, hash, changed_at) values
  ('59e1d92a-c2ee-481f-983f-4ab21a37d60a', '$argon2id$v=19$m=19456,t=2,p=1$ik9sIFZwF/N1ONJiSKe+Xw$SqF1OVJoEcGBYPO+Ku6jXr2NbSbAVreHr/uMAfkzOCc', '2026-11-22 10:52:28.573+00'),
  ('0071cab8-7775-4b9f-bbc3-f4e1dbca1ca4', '$argon2id$v=19$m=19456,t=2,p=1$1UUglLhCI/LPrUN98HCoNA$NTnn2lkZ4XG2z/zLv429W+iFfxoU0zuC2GFgwU5cqxM', '2026-11-22 10:52:28.573+00'),
  ('19fe86b1-58fb-4af8-93f9-e214a7a5881a', '$argon2id$v=19$m=19456,t=2,p=1$dGIp13ilC/wMsj1JJkibtQ$uOB6IRP3DVL2PdrOeSx6UZ3EAfeAhFQHvvdS5bihjTI', '2026-11-22 10:52:28.573+00');
insert into user_roles (user_id, role) values
  ('59e1d92a-c2ee-481f-983f-4ab21a37d60a', 'admin');
insert into sessions (id, user_id, kind, refresh_key, refresh_counter, acknowledged_counter, created_at, refreshed_at) values
  ('8c2eca3a-835e-4452-819d-b066385bd004', '59e1d92a-c2ee-481f-983f-4ab21a37d60a', 'full', E'\\x01e6c0f0f2c84efe82f0ac23993acc9e3e18c4561e9a2986f9b17ec456bd277a35d264c580e1a6ccc998c632efd36457f1df8a54b627cbe33ea35af485e2f039', '0', '0', '2026-11-22 10:52:28.573+00', '2026-11-22 10:52:28.573+00'),
  ('87b547e5-afdb-4732-968e-cc66a7227c61', '0071cab8-7775-4b9f-bbc3-f4e1dbca1ca4', 'full', E'\\x01e6c0f0b0fe569de5dd04d74ed6046b4c70b86c4d88171bdd7c10482fb8c1d6cddeb64c6e9f65abe43f89709507e93ecbf9f39700f56110a07f761fc4e66138', '0', '0', '2026-11-22 10:52:28.573+00', '2026-11-22 10:52:28.573+00'),
  ('5df3aabf-6b88-48f5-9e53-d4d8eeab2ea0', '0071cab8-7775-4b9f-bbc3-f4e1dbca1ca4', 'full', E'\\x01e6c0f028c2c3e713da8f9dabb9c9a82b1f2c4645c42fb91762fff1d87238e20f3a5b2e7b0749e0791ea27255f4191d4b3d8cb7e5ecd78af79d2a3b8679337d', '0', '0', '2026-11-22 10:52:28.573+00', '2026-11-22 10:52:28.573+00');
insert into email_links (token_hash, user_id, purpose, expires_at) values
  (E'\\xfbc57bd1962e8c04d0e5568dbaf2ecc6011f76ec16af1e77f14923f33063bcbf', '19fe86b1-58fb-4af8-93f9-e214a7a5881a', 'signup', '2026-11-23 10:52:28.573+00'),
  (E'\\xcfce802b34800a159bd02cbd8c85fdd44e3bec042a476234307338ad705bcafe', '19fe86b1-58fb-4af8-93f9-e214a7a5881a', 'disown-account', '2026-11-29 10:52:28.573+00');
insert into global_powerbi_settings (id, type, embed_mode, report_url, workspace_id, report_id, dataset_id, updated_at) values
  ('361e9f36-7a02-44f8-a440-2606546f9d60', 'vendas', 'secure_sso', 'https://app.powerbi.com/reportEmbed?reportId=6a3f7f7e-1c1e-4f1a-9d0a-0c2b7f3f1a11&ctid=6a3f7f7e-1c1e-4f1a-9d0a-0c2b7f3f1a12', NULL, NULL, NULL, '2026-11-22 10:52:28.573+00');
insert into support_messages (id, name, email, phone, message, is_read, created_at) values
  ('26c62e09-b1ff-4c9f-8f64-ee8b15229bfc', 'Davi', 'davi@exemplo.com.br', '(21) 98765-4321', 'Bom dia! Não abre.', 'false', '2026-11-22 10:52:33.421+00');
insert into audit_entries (at, actor_id, actor_email, action, target_id, target_email, before, after, ip, user_agent, request_id, batch_id) values
  ('2026-11-22 10:52:28.573+00', '59e1d92a-c2ee-481f-983f-4ab21a37d60a', 'admin@grupopatio.com.br', 'report-setting-saved', NULL, NULL, NULL, '{"type": "Vendas", "report_id": null, "dataset_id": null, "embed_mode": "secure_sso", "report_url": "https://app.powerbi.com/reportEmbed?reportId=6a3f7f7e-1c1e-4f1a-9d0a-0c2b7f3f1a11&ctid=6a3f7f7e-1c1e-4f1a-9d0a-0c2b7f3f1a12", "workspace_id": null}', '127.0.0.1', 'node', 'f7c7dccf-1d18-472a-9ca0-f1720a079bfe', NULL),
  ('2026-11-22 10:52:28.573+00', NULL, NULL, 'account-created', '0071cab8-7775-4b9f-bbc3-f4e1dbca1ca4', 'bia@grupopatio.com.br', NULL, NULL, '127.0.0.1', 'node', '162cc0c5-ea83-4397-bef5-27fa054d937c', NULL),
  ('2026-11-22 10:52:28.573+00', NULL, NULL, 'account-created', '19fe86b1-58fb-4af8-93f9-e214a7a5881a', 'caio@grupopatio.com.br', NULL, NULL, '127.0.0.1', 'node', '19845b6b-d2aa-430f-8374-da02c59211e4', NULL),
  ('2026-11-22 10:52:28.573+00', '0071cab8-7775-4b9f-bbc3-f4e1dbca1ca4', 'bia@grupopatio.com.br', 'email-verified', '0071cab8-7775-4b9f-bbc3-f4e1dbca1ca4', 'bia@grupopatio.com.br', NULL, NULL, '127.0.0.1', 'node', '0df801eb-6fee-46ba-a281-16f1df010c0d', NULL),
  ('2026-11-22 10:52:28.573+00', '59e1d92a-c2ee-481f-983f-4ab21a37d60a', 'admin@grupopatio.com.br', 'types-set', '0071cab8-7775-4b9f-bbc3-f4e1dbca1ca4', 'bia@grupopatio.com.br', '{"types": []}', '{"types": ["Vendas"]}', '127.0.0.1', 'node', '38c4e174-90e3-46bd-a0a7-482eedad85c8', NULL),
  ('2026-11-22 10:52:28.573+00', '59e1d92a-c2ee-481f-983f-4ab21a37d60a', 'admin@grupopatio.com.br', 'scope-set', '0071cab8-7775-4b9f-bbc3-f4e1dbca1ca4', 'bia@grupopatio.com.br', '{"marcas": [], "estados": []}', '{"marcas": ["FIAT", "GM"], "estados": ["RJ"]}', '127.0.0.1', 'node', '5bc4d211-745b-476e-8b0f-d5bbbe07f200', NULL),
  ('2026-11-22 10:52:28.573+00', '59e1d92a-c2ee-481f-983f-4ab21a37d60a', 'admin@grupopatio.com.br', 'approval-given', '0071cab8-7775-4b9f-bbc3-f4e1dbca1ca4', 'bia@grupopatio.com.br', '{"approved": false}', '{"approved": true}', '127.0.0.1', 'node', '71733afb-76d0-4112-bc35-95d60292c669', NULL),
  ('2026-11-22 10:52:28.573+00', '59e1d92a-c2ee-481f-983f-4ab21a37d60a', 'admin@grupopatio.com.br', 'entitlements-added', '0071cab8-7775-4b9f-bbc3-f4e1dbca1ca4', 'bia@grupopatio.com.br', '{"estados": ["RJ"]}', '{"estados": ["RJ", "ES"]}', '127.0.0.1', 'node', 'e0f34e0f-05a0-4c42-a48a-12c1a4475938', 'd11ebe11-3ce9-44e6-8021-c2983b9154a9'),
  ('2026-11-22 10:52:28.573+00', '59e1d92a-c2ee-481f-983f-4ab21a37d60a', 'admin@grupopatio.com.br', 'entitlements-added', '2aeb59ec-2581-44e5-8db4-67e5fce72aa9', NULL, '{"estados": ["RJ"]}', '{"estados": ["RJ", "ES"]}', '127.0.0.1', 'node', 'e0f34e0f-05a0-4c42-a48a-12c1a4475938', 'd11ebe11-3ce9-44e6-8021-c2983b9154a9'),
  ('2026-11-22 10:52:28.573+00', '59e1d92a-c2ee-481f-983f-4ab21a37d60a', 'admin@grupopatio.com.br', 'user-deleted', '2aeb59ec-2581-44e5-8db4-67e5fce72aa9', NULL, NULL, NULL, '127.0.0.1', 'node', '854a8626-60be-481d-824d-844492f9a719', NULL);
insert into access_records (at, user_id, action, report_id, ip, user_agent, request_id) values
  ('2026-11-22 10:52:28.573+00', '59e1d92a-c2ee-481f-983f-4ab21a37d60a', 'sign-in', NULL, '127.0.0.1', 'node', 'e29af4eb-72c7-42de-8e03-88ea171dc17c'),
  ('2026-11-22 10:52:28.573+00', '0071cab8-7775-4b9f-bbc3-f4e1dbca1ca4', 'sign-in', NULL, '127.0.0.1', 'node', '8c38f77f-77da-48de-9c86-96eec8f7dc7c');
insert into support_message_changes (message_id, at) values
  ('26c62e09-b1ff-4c9f-8f64-ee8b15229bfc', '2026-11-22 10:52:33.421+00');
