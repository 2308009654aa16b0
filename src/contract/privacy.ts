/** Configurable periods (RETENTION_… of the environment). */
export interface RetentionPeriods {
  unverifiedDays: number
  requestsDays: number
  invitationsDays: number
  devicesDays: number
  mailDays: number
  messagesMonths: number
  suspectDays: number
  accessMonths: number
  attemptsDays: number
  auditMonths: number
  usageMonths: number
  subscriptionsDays: number
  noticesDays: number
}

/** What decides how long data is kept, as /privacidade shows it. */
export interface PrivacySettings extends RetentionPeriods {
  sessionMaxDays: number
  /** 'Ana Souza <privacidade@exemplo.com.br>', or an address alone; whom people ask about their data. */
  officer?: string
}

interface KeptData {
  what: string
  why: string
  period: (settings: PrivacySettings) => string
  /** The rules of retention that delete it; none for what the account itself keeps. */
  rules: readonly string[]
}

const days = (count: number) => `${count} ${count === 1 ? 'dia' : 'dias'}`
const months = (count: number) => `${count} ${count === 1 ? 'mês' : 'meses'}`

/** What the portal keeps of people, as /privacidade says it; every rule of retention has a row. */
export const KEPT_DATA: readonly KeptData[] = [
  {
    what: 'Sua conta: e-mail, nome, áreas, marcas e estados que você vê, e as senhas como códigos irreversíveis',
    why: 'Para você entrar e ver só os relatórios liberados a você',
    period: () => 'Enquanto a conta existir',
    rules: [],
  },
  {
    what: 'Cadastro que não confirmou o e-mail',
    why: 'Para você concluir o cadastro',
    period: ({ unverifiedDays }) => days(unverifiedDays),
    rules: ['unverified sign-ups'],
  },
  {
    what: 'Pedidos de acesso e a resposta a eles',
    why: 'Para os administradores decidirem',
    period: ({ requestsDays }) => `${days(requestsDays)} depois do pedido`,
    rules: ['access requests'],
  },
  {
    what: 'Convites sem resposta: e-mail, nome e o acesso oferecido',
    why: 'Para quem foi convidado criar a conta',
    period: ({ invitationsDays }) => days(invitationsDays),
    rules: ['invitations'],
  },
  {
    what: 'Sessões abertas: navegador, endereço de rede e horários',
    why: 'Para manter você conectado e mostrar onde',
    period: ({ sessionMaxDays }) => `Até 40 minutos sem uso, no máximo ${days(sessionMaxDays)}`,
    rules: ['sessions'],
  },
  {
    what: 'Navegadores em que você já entrou, por um código',
    why: 'Para avisar você de uma entrada em um navegador novo',
    period: ({ devicesDays }) => `${days(devicesDays)} sem uso`,
    rules: ['sign-in devices'],
  },
  {
    what: 'Segundo fator: o nome que você deu ao aplicativo ou à chave, e quando foi usado',
    why: 'Para proteger sua conta além da senha',
    period: () => 'Até você removê-lo',
    rules: [],
  },
  {
    what: 'Conta da Microsoft ligada à sua: identificador, e-mail e grupos, e quando foi usada',
    why: 'Para você entrar com ela',
    period: () => 'Até você ou um administrador desligá-la',
    rules: [],
  },
  {
    what: 'Links enviados por e-mail, verificações humanas e contagens de tentativas',
    why: 'Para proteger as contas contra invasões',
    period: () => 'De minutos a 7 dias',
    rules: ['e-mail links', 'human checks', 'idempotency keys', 'rate limits', 'sign-in attempts'],
  },
  {
    what: 'Registro de acesso: quando você entrou e quais relatórios abriu, com navegador e endereço de rede',
    why: 'Marco Civil da Internet, artigo 15, e a segurança dos dados da empresa',
    period: ({ accessMonths }) => months(accessMonths),
    rules: ['access records'],
  },
  {
    what: 'Tentativas de entrada recusadas, contadas por hora, com os endereços de rede',
    why: 'Para reconhecer ataques',
    period: ({ attemptsDays }) => days(attemptsDays),
    rules: ['failed sign-ins'],
  },
  {
    what: 'Histórico: mudanças na sua conta e no seu acesso, quem as fez, com navegador e endereço de rede, e revisões de acesso',
    why: 'Para a empresa poder prestar contas de quem viu o quê',
    period: ({ auditMonths }) => months(auditMonths),
    rules: ['audit entries', 'access reviews'],
  },
  {
    what: 'E-mails do portal para você: destinatário, tipo e horário, sem o texto',
    why: 'Para entregar de novo o que falhou',
    period: ({ mailDays }) => days(mailDays),
    rules: ['sent mails', 'undeliverable mails'],
  },
  {
    what: 'Mensagens do formulário de contato: nome, e-mail, celular e texto',
    why: 'Para responder a você',
    period: ({ messagesMonths }) => months(messagesMonths),
    rules: ['support messages'],
  },
  {
    what: 'Mensagens que parecem automáticas',
    why: 'Para nenhuma mensagem verdadeira se perder',
    period: ({ suspectDays }) => days(suspectDays),
    rules: ['suspect messages'],
  },
  {
    what: 'Visões salvas de relatórios',
    why: 'Para você voltar ao que escolheu',
    period: () => 'Até você excluí-las, e mais 1 dia para desfazer',
    rules: ['deleted views', 'removed reports'],
  },
  {
    what: 'Relatórios por e-mail que pararam',
    why: 'Para você poder retomá-los',
    period: ({ subscriptionsDays }) => days(subscriptionsDays),
    rules: ['stopped subscriptions'],
  },
  {
    what: 'Exportações que você pediu; os arquivos ficam no Power BI',
    why: 'Para você baixá-las',
    period: () => '1 dia',
    rules: ['finished jobs'],
  },
  {
    what: 'Uso do portal: em que dias você veio e quantas vezes abriu cada relatório, até a semana e o mês terminarem; depois, só somas sem nomes',
    why: 'Para saber quais relatórios servem e quais ninguém lê',
    period: ({ usageMonths }) =>
      `Com nomes, até o fim do mês e da última semana dele; as somas, ${months(usageMonths)}`,
    rules: ['sums of the use', 'report timings'],
  },
  {
    what: 'Avisos do portal e quais você fechou',
    why: 'Para não mostrar de novo o que você já leu',
    period: ({ noticesDays }) => `${days(noticesDays)} depois do fim do aviso`,
    rules: ['ended notices', 'deleted notices'],
  },
]
