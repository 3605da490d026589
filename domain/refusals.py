"""Why the house says no: every reason a well-formed command can be refused for."""

from enum import StrEnum


class Reason(StrEnum):
    """The fact that forbids; the value is what the table log and the ledger show."""

    NOT_OFFERED = "NOT_OFFERED"
    WRONG_PHASE = "WRONG_PHASE"
    CONTRACT_BET = "CONTRACT_BET"
    NO_INCREASE_UNTIL_COME_OUT = "NO_INCREASE_UNTIL_COME_OUT"
    BAD_AMOUNT = "BAD_AMOUNT"
    BAD_UNIT = "BAD_UNIT"
    BELOW_MIN = "BELOW_MIN"
    ABOVE_MAX = "ABOVE_MAX"
    CASE_BET_NOT_APPLICABLE = "CASE_BET_NOT_APPLICABLE"
    ODDS_LIMIT = "ODDS_LIMIT"
    NO_BASE_WAGER = "NO_BASE_WAGER"
    INSUFFICIENT_FUNDS = "INSUFFICIENT_FUNDS"
    DICE_OUT = "DICE_OUT"
    NO_AUTHORITY = "NO_AUTHORITY"
    TOO_LATE = "TOO_LATE"
    NO_PAYTABLE = "NO_PAYTABLE"
    NO_SUCH_WAGER = "NO_SUCH_WAGER"
    NOT_SWITCHABLE = "NOT_SWITCHABLE"
    TABLE_NOT_OPEN = "TABLE_NOT_OPEN"
    TABLE_ALREADY_OPEN = "TABLE_ALREADY_OPEN"
    DUPLICATE_WAGER = "DUPLICATE_WAGER"
    ID_REUSED = "ID_REUSED"
    NO_SUCH_ROLL = "NO_SUCH_ROLL"
    NO_SHOOTER_LINE_BET = "NO_SHOOTER_LINE_BET"
    NO_SUCH_RULES = "NO_SUCH_RULES"
    CONTRARY_TO_RULES = "CONTRARY_TO_RULES"
    PLAY_DENIED = "PLAY_DENIED"
    NO_SHOOTER = "NO_SHOOTER"
    NO_SUCH_DICE = "NO_SUCH_DICE"


class Refusal(Exception):
    """The house says no to one command; nothing moves."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
