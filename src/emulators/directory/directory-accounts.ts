export const EMULATED_DIRECTORY_TENANT = '5b1f2c7e-0d43-4e6a-9a58-1c2d3e4f5a6b'
export const EMULATED_DIRECTORY_CLIENT = '9d8c7b6a-5f4e-4d3c-8b2a-1f0e9d8c7b6a'
/** Groups that the accounts are in. */
export const EMULATED_GROUPS = {
  vendas: '1a2b3c4d-0000-4000-8000-000000000001',
  oficina: '1a2b3c4d-0000-4000-8000-000000000002',
} as const

/** An account of the emulated directory, with the claims that Microsoft would send. */
export interface DirectoryAccount {
  id: string
  /** What the page of the directory says of it. */
  label: string
  claims: Record<string, unknown>
  /** Authentication contexts whose policies the person has met. */
  contexts?: string[]
  isDisabled?: boolean
  /** What it answers in place of a code. */
  refusal?: { error: string; error_description: string }
}

/** One account for each way a sign-in ends. @param domain COMPANY_EMAIL_DOMAIN */
export function createDirectoryAccounts(domain: string): DirectoryAccount[] {
  const create = (
    id: string,
    label: string,
    name: string,
    claims: Record<string, unknown> = {},
  ): DirectoryAccount => ({
    id,
    label,
    claims: {
      tid: EMULATED_DIRECTORY_TENANT,
      // Ids are hexadecimal, as the directory's are.
      oid: `00000000-0000-4000-9000-${Buffer.from(id).toString('hex').padEnd(12, '0').slice(0, 12)}`,
      acct: 0,
      xms_edov: true,
      name,
      email: `${id}@${domain}`,
      preferred_username: `${id}@${domain}`,
      ...claims,
    },
  })
  const { vendas, oficina } = EMULATED_GROUPS
  return [
    create('vendas.rj', 'já tem conta no portal', 'Vanessa Duarte', { groups: [vendas] }),
    create('novata', 'entra pela primeira vez', 'Nívea Prado', { groups: [vendas, oficina] }),
    create('convidado', 'convidado de outra empresa', 'Gil Castro', { acct: 1 }),
    create('sem.confirmar', 'e-mail não confirmado na Microsoft', 'Selma Rios', { xms_edov: undefined }),
    create('outra.empresa', 'de outro diretório', 'Olavo Nunes', {
      tid: '77777777-0d43-4e6a-9a58-1c2d3e4f5a6b',
    }),
    { ...create('desligado', 'conta desativada', 'Dario Melo'), isDisabled: true },
  ]
}
