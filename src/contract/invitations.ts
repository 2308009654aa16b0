import * as z from 'zod/mini'
import type { Routes } from './route.ts'
import { cleanLines } from './text-rules.ts'
import { lineSchema, searchSchema } from './text-schemas.ts'
import { MAX_IMPORT_BYTES, MAX_INVITED } from './user-rules.ts'
import { dateSchema, instantSchema, listSchemas, queryFlag, validity } from './users.ts'

export const MAX_OPEN_INVITATIONS = 5_000

export const invitationMessages = {
  gone: 'Este convite não existe mais. Talvez já tenha sido aceito ou retirado.',
  nothing: 'Informe pelo menos um e-mail',
  nobody: 'Não há ninguém para convidar: todos já têm conta ou convite.',
  tooMany: `Convide no máximo ${MAX_INVITED / 1000}.000 pessoas de uma vez. Divida a lista e convide por partes.`,
  tooLarge: `O arquivo passa de ${MAX_IMPORT_BYTES / 1024} KB, o máximo. Divida a lista em mais arquivos.`,
  endPassed: 'O acesso deste convite já terminou. Mude a validade antes de enviar de novo.',
  editedMeanwhile:
    'Um destes convites foi alterado, aceito ou retirado nesse meio-tempo. Nada mudou: confira a lista.',
  changedMeanwhile: 'A lista mudou desde a conferência. Ninguém foi convidado: confira de novo.',
} as const

const addresseeFields = {
  email: z.string(),
  full_name: z.nullable(z.string()),
  types: z.array(z.string()),
  marcas: z.array(z.string()),
  estados: z.array(z.string()),
}
/** Last day of the access that it gives. */
const endField = { valid_until: z.nullable(dateSchema) }

/** An unanswered invitation. Resending an expired or withdrawn one renews it. */
const invitationSchema = z.object({
  id: z.uuid(),
  ...addresseeFields,
  ...endField,
  version: z.number(),
  /** Sender of the newest mail; null once deleted. */
  invited_by: z.nullable(z.string()),
  invited_at: instantSchema,
  /** When its sender was deleted or lost the administrator role. */
  withdrawn_at: z.nullable(instantSchema),
  expires_at: instantSchema,
  expired: z.boolean(),
})
export type Invitation = z.output<typeof invitationSchema>

/**
 * Outcome of a line. 'replaced' invites over an unverified account, which loses its password and
 * sessions; 'unchanged' has an account or invitation already; one 'error' cancels the whole
 * import, unless the form leaves these lines out.
 */
const invitedLineSchema = z.object({
  /** Line number in the file or field, from 1. */
  line: z.number(),
  ...addresseeFields,
  outcome: z.enum(['invited', 'replaced', 'unchanged', 'error']),
  /** Explains any outcome but 'invited', with a remedy. */
  message: z.nullable(z.string()),
  /** Whether an account waits for approval instead. */
  waits: z.optional(z.boolean()),
})
export type InvitedLine = z.output<typeof invitedLineSchema>

/** Fingerprint of these people and outcomes: sent back, it ensures that exactly they are invited. */
const resultSchema = z.object({
  lines: z.array(invitedLineSchema),
  invited: z.number(),
  fingerprint: z.string(),
  /** How a file was read. */
  encoding: z.optional(z.string()),
})
export type InvitationResult = z.output<typeof resultSchema>

const inviteBody = z
  .strictObject({
    /** E-mails from a list or a mail program: 'Ana <ana@…>; rui@…'. */
    addresses: z.optional(
      z.string().check(z.overwrite(cleanLines), z.maxLength(200_000, invitationMessages.tooMany)),
    ),
    /** Alternatively a CSV file, in base64. */
    file: z.optional(
      z
        .string()
        .check(
          z.maxLength(Math.ceil(MAX_IMPORT_BYTES / 3) * 4, invitationMessages.tooLarge),
          z.regex(/^[A-Za-z0-9+/]*={0,2}$/, 'O arquivo não chegou inteiro. Escolha-o de novo.'),
        ),
    ),
    /** Default entitlements of lines without a list. */
    defaults: z.strictObject(listSchemas),
    ...validity,
    fingerprint: z.optional(lineSchema(64)),
    /** Leaves the lines with an error out; needs the fingerprint of the lines that were shown. */
    skipErrors: z.optional(z.boolean()),
  })
  .check(
    z.refine(({ addresses, file }) => Boolean(addresses) !== Boolean(file), invitationMessages.nothing),
    z.refine(
      ({ skipErrors, fingerprint }) => !skipErrors || fingerprint !== undefined,
      'Confira a lista antes de deixar linhas de fora',
    ),
  )
export type InviteForm = z.output<typeof inviteBody>

const ids = z.array(z.uuid()).check(z.minLength(1), z.maxLength(MAX_INVITED))
/** Those that are left were answered or withdrawn meanwhile. */
const gone = z.number()

const changeBody = z.strictObject({
  /** The versions that were seen: others are refused. */
  items: z
    .array(z.strictObject({ id: z.uuid(), version: z.number() }))
    .check(z.minLength(1), z.maxLength(MAX_INVITED)),
  action: z.enum(['add', 'replace']),
  ...listSchemas,
  ...validity,
})
export type InvitationChange = z.output<typeof changeBody>

const invitationParams = z.object({ id: z.uuid() })

export const invitationRoutes = {
  listInvitations: {
    method: 'GET',
    path: '/api/invitations',
    access: 'admin',
    summary: 'A page of the invitations without an answer, the newest first',
    query: z.object({
      q: searchSchema,
      cursor: z.optional(lineSchema(4096)),
    }),
    response: z.object({
      items: z.array(invitationSchema),
      next: z.nullable(z.string()),
      total: z.number(),
    }),
  },
  invite: {
    method: 'POST',
    path: '/api/invitations',
    access: 'admin',
    trail: 'invitation-sent',
    idempotent: true,
    summary:
      'Invites people by e-mail, pasted or in a CSV file, all or nothing unless `skipErrors`; a dry run only tells what would become of each line. 400 names in `fields` the lines with an error, 409 for others than the fingerprint stands for',
    query: z.object({ dryRun: z.optional(queryFlag) }),
    body: inviteBody,
    response: resultSchema,
    maxBodyBytes: 1024 * 1024,
  },
  resendInvitation: {
    method: 'POST',
    path: '/api/invitations/{id}/resend',
    access: 'admin',
    trail: 'invitation-resent',
    summary: 'Mails an invitation again, with a link that is good for as long as the first one was',
    params: invitationParams,
    response: invitationSchema,
  },
  changeInvitations: {
    method: 'POST',
    path: '/api/invitations/change',
    access: 'admin',
    trail: 'invitation-changed',
    idempotent: true,
    summary:
      'Adds to what open invitations give, or replaces it, and sets its last day, all or nothing; 409 for one that has another version or is gone',
    body: changeBody,
    response: z.object({ changed: z.number() }),
  },
  resendInvitations: {
    method: 'POST',
    path: '/api/invitations/resend',
    access: 'admin',
    trail: 'invitation-resent',
    idempotent: true,
    summary: 'Mails several invitations again, but for those sent less than a minute ago or ended',
    body: z.strictObject({ ids }),
    response: z.object({ sent: z.number(), left: z.number(), gone }),
  },
  withdrawInvitations: {
    method: 'POST',
    path: '/api/invitations/withdraw',
    access: 'admin',
    trail: 'invitation-withdrawn',
    idempotent: true,
    summary: 'Takes several invitations back, as one',
    body: z.strictObject({ ids }),
    response: z.object({ withdrawn: z.number(), gone }),
  },
  withdrawInvitation: {
    method: 'DELETE',
    path: '/api/invitations/{id}',
    access: 'admin',
    trail: 'invitation-withdrawn',
    idempotent: true,
    summary: 'Takes an invitation back: its links open nothing any more',
    params: invitationParams,
  },
} as const satisfies Routes
