import { toSlug } from '#contract/catalogue.ts'
import { NO_ENTITLEMENTS } from '#contract/entitlement-lists.ts'
import { ESTADOS, MARCAS, TYPES } from '#contract/seeded-catalogue.ts'
import { hashPassword } from '#server/accounts/password-hashing.ts'
import type { Db } from '#server/database/schema.ts'
import { markAsDemo } from './demo-installation.ts'
import { generatePeople } from './seeded-people.ts'
import { seedTrail } from './seeded-trail.ts'
import { seedUse } from './seeded-use.ts'

export const DEMO_PASSWORD = 'Patio-Demo-2026!'
export const SHORT_DEMO_PASSWORD = 'curta123'
const PEOPLE = 300

interface DemoAccount {
  name: string
  fullName: string
  role?: 'admin'
  approved?: boolean
  verified?: boolean
  hasShortPassword?: boolean
  types: readonly string[]
  marcas: readonly string[]
  estados: readonly string[]
  /** Printed next to the address at startup. */
  label: string
}

const EVERYTHING = { types: TYPES, marcas: MARCAS, estados: ESTADOS }

/** One account per state of the reports screen. */
export const DEMO_ACCOUNTS: readonly DemoAccount[] = [
  {
    name: 'admin',
    fullName: 'Ana Administradora',
    role: 'admin',
    ...EVERYTHING,
    label: 'administra, vê tudo',
  },
  { name: 'diretoria', fullName: 'Dirceu Diretor', ...EVERYTHING, label: 'todas as áreas, marcas e estados' },
  {
    name: 'vendas.rj',
    fullName: 'Vera Vendas',
    types: ['Vendas', 'CRM'],
    marcas: ['FIAT', 'JEEP'],
    estados: ['RJ'],
    label: 'Vendas e CRM, FIAT e JEEP, só RJ',
  },
  {
    name: 'pendente',
    fullName: 'Pedro Pendente',
    approved: false,
    ...NO_ENTITLEMENTS,
    label: 'aguarda aprovação',
  },
  {
    name: 'naoverificado',
    fullName: 'Nara Nova',
    verified: false,
    types: ['Vendas', 'Oficina'],
    marcas: ['GM', 'TOYO'],
    estados: ['MG', 'ES'],
    label: 'e-mail não verificado',
  },
  { name: 'semrelatorio', fullName: 'Saulo Souza', ...NO_ENTITLEMENTS, label: 'sem áreas liberadas' },
  {
    name: 'curta',
    fullName: 'Carla Curta',
    hasShortPassword: true,
    types: ['Vendas'],
    marcas: ['VW'],
    estados: ['PR'],
    label: `senha ${SHORT_DEMO_PASSWORD}, precisa trocá-la`,
  },
]

export interface DemoReport {
  type: string
  workspaceId: string
  reportId: string
  datasetId: string
  /** Only for areas with a share URL. */
  reportUrl?: string
}

/** Seeds an empty database, all or nothing, with accounts, people, settings and a few messages. */
export async function seedDemo(db: Db, domain: string, reports: readonly DemoReport[]): Promise<void> {
  const now = new Date()
  const [hash, shortHash] = [await hashPassword(DEMO_PASSWORD), await hashPassword(SHORT_DEMO_PASSWORD)]
  await db.transaction().execute(async (transaction) => {
    for (const account of DEMO_ACCOUNTS)
      await seedAccount(transaction, account, domain, account.hasShortPassword ? shortHash : hash, now)
    await transaction
      .insertInto('profiles')
      .values(generatePeople(PEOPLE, domain, now))
      .execute()
    await seedRequests(transaction, now)
    await seedSettings(transaction, reports)
    await seedUse(transaction, now)
    await seedTrail(transaction, now)
    await seedMessages(transaction, now)
    await markAsDemo(transaction)
  })
}

async function seedAccount(
  db: Db,
  account: DemoAccount,
  domain: string,
  hash: string,
  now: Date,
): Promise<void> {
  const registered = new Date(now.getTime() - 90 * 86_400_000)
  const { user_id } = await db
    .insertInto('profiles')
    .values({
      email: `${account.name}@${domain}`,
      full_name: account.fullName,
      approved: account.approved ?? true,
      email_verified_at: account.verified === false ? null : registered,
      created_at: registered,
      types: [...account.types],
      marcas: [...account.marcas],
      estados: [...account.estados],
    })
    .returning('user_id')
    .executeTakeFirstOrThrow()
  await db.insertInto('passwords').values({ user_id, hash, changed_at: registered }).execute()
  if (account.role) await db.insertInto('user_roles').values({ user_id, role: account.role }).execute()
}

const REQUESTS = [
  [
    'FIAT Niterói',
    ['Vendas', 'CRM'],
    ['FIAT'],
    ['RJ'],
    'Comecei segunda-feira como vendedora. Minha gerente é a Vera.',
  ],
  ['Oficina de Vitória', ['Oficina'], ['GM', 'TOYO'], ['ES'], null],
  ['Marketing', ['Marketing', 'CRM'], MARCAS, ESTADOS, 'Preciso ver as campanhas de todas as marcas.'],
  ['JEEP Belo Horizonte', ['Vendas', 'Gerentes'], ['JEEP'], ['MG'], null],
] as const

/** Seeds access requests of the newest waiting people. */
async function seedRequests(db: Db, now: Date): Promise<void> {
  const waiting = await db
    .selectFrom('profiles')
    .select('user_id')
    .where('approved', '=', false)
    .orderBy('created_at', 'desc')
    .limit(REQUESTS.length)
    .execute()
  const requests = waiting.map(({ user_id }, index) => {
    const [workplace, types, marcas, estados, note] = REQUESTS[index] as (typeof REQUESTS)[number]
    const lists = { types: [...types], marcas: [...marcas], estados: [...estados] }
    return {
      user_id,
      workplace,
      ...lists,
      note,
      requested_at: new Date(now.getTime() - (index + 1) * 5_400_000),
    }
  })
  await db.insertInto('access_requests').values(requests).execute()
}

async function seedSettings(db: Db, reports: readonly DemoReport[]): Promise<void> {
  for (const report of reports) {
    const type = toSlug(report.type)
    await db
      .insertInto('global_powerbi_settings')
      .values(
        report.reportUrl
          ? { type, embed_mode: 'secure_sso', report_url: report.reportUrl }
          : {
              type,
              embed_mode: 'service_principal',
              workspace_id: report.workspaceId,
              report_id: report.reportId,
              dataset_id: report.datasetId,
            },
      )
      .execute()
  }
}

const MESSAGES = [
  [
    'Rita Prado',
    'rita.prado',
    '(21) 98765-4321',
    'O relatório de Vendas podia mostrar também o mês anterior.',
    2,
  ],
  [
    'João Batista',
    'joao.batista',
    '(31) 99876-1234',
    'Bom dia! Mudei para a oficina de BH e ainda não vejo a área Oficina.',
    26,
  ],
  ['Luciana Alves', 'luciana.alves', '(27) 99701-2233', 'Parabéns pelo portal, ficou muito mais rápido.', 75],
] as const

async function seedMessages(db: Db, now: Date): Promise<void> {
  await db
    .insertInto('support_messages')
    .values(
      MESSAGES.map(([name, mailbox, phone, message, hoursAgo]) => ({
        name,
        email: `${mailbox}@exemplo.com.br`,
        phone,
        message,
        is_read: hoursAgo > 70,
        created_at: new Date(now.getTime() - hoursAgo * 3_600_000),
      })),
    )
    .execute()
}
